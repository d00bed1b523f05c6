import type { Expr } from './ast.ts';
import { childrenOf } from './ast.ts';

interface Use {
  /** The id of the node, from which its position in the source follows. */
  id: bigint;
  member: string | null;
  inner: string | null;
}

/** The selection of a member from a value. */
interface Selection {
  of: Expr;
  /** The name of the member; null when it is computed. */
  member: string | null;
  /** The expression in the brackets. */
  made_by?: Expr | undefined;
  /** Set in `has(…)`: the member need not exist. */
  tested: boolean;
}

/** Reads `of.member` and `of["member"]`; undefined for any other expression. */
function selectionOf({ exprKind: { case: kind, value } }: Expr): Selection | undefined {
  if (kind === 'selectExpr' && value.operand) return { of: value.operand, member: value.field, tested: value.testOnly };
  if (kind !== 'callExpr' || value.function !== '_[_]' || !value.args[0]) return undefined;
  return { of: value.args[0], member: textOf(value.args[1]), made_by: value.args[1], tested: false };
}

/** Finds where an expression uses a name of its scope: `nodes.a.b` and `nodes["a"]` select the member `a`. */
export function usesOf(expr: Expr, name: string): Use[] {
  const uses: Use[] = [];
  const isName = (node: Expr) =>
    node.exprKind.case === 'identExpr' &&
    (node.exprKind.value.name === name || node.exprKind.value.name === `.${name}`);

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
      // Inside of the loop, the name is the loop variable.
      for (const child of [value.iterRange, value.accuInit]) if (child) visit(child);
    } else for (const child of childrenOf(at)) visit(child);
  }

  visit(expr);
  return uses;
}

function textOf(expr: Expr | undefined): string | null {
  if (expr?.exprKind.case !== 'constExpr') return null;
  const { constantKind } = expr.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : null;
}
