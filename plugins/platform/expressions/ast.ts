import type { parse } from '@bufbuild/cel';

export type Parsed = ReturnType<typeof parse>;
export type Expr = NonNullable<Parsed['expr']>;

/** Returns the direct children of a node in source order. */
export function childrenOf({ exprKind: { case: kind, value } }: Expr): Expr[] {
  const present = (nodes: readonly (Expr | undefined)[]) => nodes.filter((node) => node !== undefined);
  switch (kind) {
    case 'selectExpr':
      return present([value.operand]);
    case 'callExpr':
      return present([value.target, ...value.args]);
    case 'listExpr':
      return value.elements;
    case 'structExpr':
      return present(
        value.entries.flatMap(({ keyKind, value: entry_value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          entry_value,
        ]),
      );
    case 'comprehensionExpr':
      return present([value.iterRange, value.accuInit, value.loopCondition, value.loopStep, value.result]);
    default:
      return [];
  }
}

/** Returns the depth of the tree in nodes. */
export function depthOf(expr: Expr): number {
  let depth = 0;
  let level: Expr[] = [expr];
  while (level.length > 0) {
    depth++;
    level = level.flatMap(childrenOf);
  }
  return depth;
}
