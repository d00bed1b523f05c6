import type { Expr } from './ast.ts';
import { partsOf } from './ast.ts';
import { INDEX, OWN_LIST, OWN_MAP, TICK } from './functions.ts';

/** An expression that is metered in every loop, and the map from its nodes to the source. */
export interface Instrumented {
  expr: Expr;
  /** Nodes outside of loops: the minimum cost of one evaluation. */
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
        return made(id, OWN_LIST, { ...kind, value: { ...kind.value, elements: all(kind.value.elements) } });
      case 'structExpr':
        return made(id, OWN_MAP, { ...kind, value: { ...kind.value, entries: kind.value.entries.map(entryOf) } });
      case 'callExpr':
        return callOf(expr, kind.value);
      case 'comprehensionExpr':
        return loopOf(id, kind.value);
      default:
        return expr;
    }
  }

  const made = (id: bigint, name: string, kind: Kind): Expr => call(id, name, [node(id, kind)]);

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
    const turn = weightOf(loopCondition) + weightOf(loopStep);
    return node(id, {
      case: 'comprehensionExpr',
      value: {
        ...value,
        iterRange: maybe(iterRange),
        accuInit: maybe(accuInit),
        loopCondition: loopCondition && call(id, TICK, [rewrite(loopCondition), int(id, turn)]),
        loopStep: maybe(loopStep),
        result: maybe(result),
      },
    });
  }

  return { expr: rewrite(source), weight: weightOf(source), origins };
}

/** Nodes of an expression, except those inside loops: these are charged at each iteration. */
function weightOf(expr: Expr | undefined): number {
  if (expr === undefined) return 0;
  const { case: kind, value } = expr.exprKind;
  const parts =
    kind === 'comprehensionExpr' ? [value.iterRange, value.accuInit, value.result] : (partsOf(expr) as Expr[]);
  return parts.reduce((sum, part) => sum + weightOf(part), 1);
}
