import type { Expr } from './ast.ts';
import { partsOf } from './ast.ts';

interface Use {
  /** Of the node, for its place in the source. */
  id: bigint;
  member: string | null;
}

/** Where an expression uses a name of its scope: `nodes.a.b` and `nodes["a"]` select the member `a`. */
export function usesOf(expr: Expr, name: string): Use[] {
  const uses: Use[] = [];
  const isName = (one: Expr | undefined) =>
    one?.exprKind.case === 'identExpr' && (one.exprKind.value.name === name || one.exprKind.value.name === `.${name}`);

  function visit(at: Expr): void {
    const { case: kind, value } = at.exprKind;
    if (isName(at)) uses.push({ id: at.id, member: null });
    else if (kind === 'selectExpr' && isName(value.operand)) uses.push({ id: value.operand!.id, member: value.field });
    else if (kind === 'callExpr' && value.function === '_[_]' && isName(value.args[0])) {
      uses.push({ id: value.args[0]!.id, member: textOf(value.args[1]) });
      if (value.args[1]) visit(value.args[1]);
    } else if (kind === 'comprehensionExpr' && (value.iterVar === name || value.accuVar === name)) {
      // Inside the loop the name is its variable.
      for (const part of [value.iterRange, value.accuInit]) if (part) visit(part);
    } else for (const part of partsOf(at)) visit(part);
  }

  visit(expr);
  return uses;
}

function textOf(expr: Expr | undefined): string | null {
  if (expr?.exprKind.case !== 'constExpr') return null;
  const { constantKind } = expr.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : null;
}
