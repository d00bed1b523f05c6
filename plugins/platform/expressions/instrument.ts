import type { Expr } from './ast.ts';
import { childrenOf } from './ast.ts';
import { INDEX, METERED_LIST, METERED_MAP, TICK } from './functions.ts';

/** An expression with metered loops, and the map from its nodes to those of the source. */
export interface Instrumented {
  expr: Expr;
  /** The number of nodes outside of loops, which is the minimum cost of an evaluation. */
  weight: number;
  /** The source node that an error's id refers to. */
  origins: ReadonlyMap<bigint, Expr>;
}

type Kind = Expr['exprKind'];

const node = (id: bigint, exprKind: Kind): Expr => ({ $typeName: 'cel.expr.Expr', id, exprKind });

const call = (id: bigint, name: string, args: Expr[]): Expr =>
  node(id, { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } });

const int = (id: bigint, value: number): Expr =>
  node(id, {
    case: 'constExpr',
    value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'int64Value', value: BigInt(value) } },
  });

/** Rewrites a parsed expression so that every loop iteration and every created list and map is charged. */
export function instrument(source: Expr): Instrumented {
  const origins = new Map<bigint, Expr>();
  const all = (exprs: readonly Expr[]) => exprs.map(rewrite);
  const maybe = (expr: Expr | undefined) => (expr === undefined ? undefined : rewrite(expr));

  function rewrite(expr: Expr): Expr {
    origins.set(expr.id, expr);
    const { id, exprKind: kind } = expr;
    switch (kind.case) {
      case 'selectExpr':
        return node(id, { ...kind, value: { ...kind.value, operand: maybe(kind.value.operand) } });
      case 'listExpr':
        return callOn(id, METERED_LIST, { ...kind, value: { ...kind.value, elements: all(kind.value.elements) } });
      case 'structExpr':
        return callOn(id, METERED_MAP, { ...kind, value: { ...kind.value, entries: kind.value.entries.map(entryOf) } });
      case 'callExpr':
        return callOf(expr, kind.value);
      case 'comprehensionExpr':
        return loopOf(id, kind.value);
      default:
        return expr;
    }
  }

  const callOn = (id: bigint, name: string, kind: Kind): Expr => call(id, name, [node(id, kind)]);

  type Entry = Extract<Kind, { case: 'structExpr' }>['value']['entries'][number];
  function entryOf(entry: Entry): Entry {
    const { keyKind, value } = entry;
    const key = keyKind.case === 'mapKey' ? { ...keyKind, value: rewrite(keyKind.value) } : keyKind;
    return { ...entry, keyKind: key, value: maybe(value) };
  }

  function callOf({ id }: Expr, value: Extract<Kind, { case: 'callExpr' }>['value']): Expr {
    const name = value.function === '_[_]' ? INDEX : value.function;
    return node(id, {
      case: 'callExpr',
      value: { ...value, function: name, args: all(value.args), target: maybe(value.target) },
    });
  }

  function loopOf(id: bigint, value: Extract<Kind, { case: 'comprehensionExpr' }>['value']): Expr {
    const { iterRange, accuInit, loopCondition, loopStep, result } = value;
    const iteration_weight = weightOf(loopCondition) + weightOf(loopStep);
    return node(id, {
      case: 'comprehensionExpr',
      value: {
        ...value,
        iterRange: maybe(iterRange),
        accuInit: maybe(accuInit),
        loopCondition: loopCondition && call(id, TICK, [rewrite(loopCondition), int(id, iteration_weight)]),
        loopStep: maybe(loopStep),
        result: maybe(result),
      },
    });
  }

  return { expr: rewrite(source), weight: weightOf(source), origins };
}

/** Counts the nodes of an expression outside of loops. Those inside are charged at each iteration. */
function weightOf(expr: Expr | undefined): number {
  if (expr === undefined) return 0;
  const { case: kind, value } = expr.exprKind;
  const children =
    kind === 'comprehensionExpr' ? [value.iterRange, value.accuInit, value.result] : (childrenOf(expr) as Expr[]);
  return children.reduce((sum, child) => sum + weightOf(child), 1);
}
