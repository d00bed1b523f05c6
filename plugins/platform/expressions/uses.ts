import type { ExpressionPath } from '../../../kernel/contracts/index.ts';
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

/** A chain of selections: `nodes.a["b"].c`. */
interface Chain {
  base: Expr;
  /** From the base outwards; null for a computed one. */
  members: (string | null)[];
  tested: boolean;
  /** The expressions in its brackets. */
  made_by: Expr[];
}

function chainOf(at: Expr): Chain {
  const chain: Chain = { base: at, members: [], tested: false, made_by: [] };
  for (let selection = selectionOf(at); selection; selection = selectionOf(selection.of)) {
    if (chain.members.length === 0) chain.tested = selection.tested;
    chain.base = selection.of;
    chain.members.unshift(selection.member);
    if (selection.made_by) chain.made_by.push(selection.made_by);
  }
  return chain;
}

/** Lists the paths that an expression reads from names of its scope. Variables of loops are not names of the scope. */
export function pathsOf(expr: Expr, roots: readonly string[]): ExpressionPath[] {
  const paths: ExpressionPath[] = [];

  function visit(at: Expr, names: ReadonlySet<string>): void {
    const { base, members, tested, made_by } = chainOf(at);
    const { case: kind, value } = base.exprKind;
    const root = kind === 'identExpr' ? value.name.replace(/^\./, '') : '';
    if (names.has(root)) {
      const computed = members.indexOf(null);
      const literal = (computed < 0 ? members : members.slice(0, computed)) as string[];
      paths.push({ root, members: literal, tested: tested && computed < 0 });
    } else if (kind === 'comprehensionExpr') {
      const inside = new Set([...names].filter((name) => name !== value.iterVar && name !== value.accuVar));
      for (const child of [value.iterRange, value.accuInit]) if (child) visit(child, names);
      for (const child of [value.loopCondition, value.loopStep, value.result]) if (child) visit(child, inside);
    } else for (const child of childrenOf(base)) visit(child, names);
    for (const child of made_by) visit(child, names);
  }

  visit(expr, new Set(roots));
  return paths;
}

/** A comparison `root.a.b == other`, in either order, whose other side does not read the root. */
interface Equality {
  members: readonly string[];
  other: Expr;
}

/**
 * Lists the comparisons that must be true for an expression to be true: those that `&&` joins at the top, or the expression
 * itself. `&&` is not true if one of its sides is false or fails, whatever the other one is.
 */
export function equalitiesOf({ exprKind: { case: kind, value } }: Expr, root: string): Equality[] {
  if (kind !== 'callExpr') return [];
  if (value.function === '_&&_') return value.args.flatMap((side) => equalitiesOf(side, root));
  const [left, right] = value.args;
  if (value.function !== '_==_' || !left || !right) return [];
  const compare = (side: Expr, other: Expr): Equality[] => {
    const members = membersOf(side, root);
    return members === undefined || pathsOf(other, [root]).length > 0 ? [] : [{ members, other }];
  };
  return [...compare(left, right), ...compare(right, left)];
}

/** Returns the members that an expression selects from the root, if it does nothing else. */
function membersOf(expr: Expr, root: string): string[] | undefined {
  const { base, members, tested } = chainOf(expr);
  const { case: kind, value } = base.exprKind;
  if (kind !== 'identExpr' || value.name.replace(/^\./, '') !== root || tested || members.length === 0)
    return undefined;
  return members.every((member) => member !== null) ? members : undefined;
}

function textOf(expr: Expr | undefined): string | null {
  if (expr?.exprKind.case !== 'constExpr') return null;
  const { constantKind } = expr.exprKind.value;
  return constantKind.case === 'stringValue' ? constantKind.value : null;
}
