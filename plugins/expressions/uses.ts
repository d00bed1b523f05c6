import type { Expr } from './ast.ts';
import { partsOf } from './ast.ts';

interface Use {
  /** Of the node, for its place in the source. */
  id: bigint;
  member: string | null;
  inner: string | null;
}

/** A value, the member that is selected from it, and the expression that makes the name of the member. */
interface Selection {
  of: Expr;
  /** Null where the name is made by the expression. */
  member: string | null;
  made_by?: Expr | undefined;
  /** `has(…)`: the member need not be there. */
  tested: boolean;
}

/** `of.member` and `of["member"]`; undefined for any other expression. */
function selectionOf({ exprKind: { case: kind, value } }: Expr): Selection | undefined {
  if (kind === 'selectExpr' && value.operand) return { of: value.operand, member: value.field, tested: value.testOnly };
  if (kind !== 'callExpr' || value.function !== '_[_]' || !value.args[0]) return undefined;
  return { of: value.args[0], member: textOf(value.args[1]), made_by: value.args[1], tested: false };
}

/** Where an expression uses a name of its scope: `nodes.a.b` and `nodes["a"]` select the member `a`. */
export function usesOf(expr: Expr, name: string): Use[] {
  const uses: Use[] = [];
  const isName = (one: Expr) =>
    one.exprKind.case === 'identExpr' && (one.exprKind.value.name === name || one.exprKind.value.name === `.${name}`);

  function visit(at: Expr, selected?: Selection): void {
    const { case: kind, value } = at.exprKind;
    const selection = selectionOf(at);
    if (isName(at)) uses.push({ id: at.id, member: null, inner: null });
    else if (selection && isName(selection.of)) {
      const inner = selected && !selected.tested ? selected.member : null;
      uses.push({ id: selection.of.id, member: selection.member, inner });
      if (selection.made_by) visit(selection.made_by);
    } else if (selection) {
      visit(selection.of, selection);
      if (selection.made_by) visit(selection.made_by);
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
