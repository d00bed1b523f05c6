import type { parse } from '@bufbuild/cel';

export type Parsed = ReturnType<typeof parse>;
export type Expr = NonNullable<Parsed['expr']>;

/** The direct children of a node in source order. */
export function partsOf({ exprKind: { case: kind, value } }: Expr): Expr[] {
  const present = (parts: readonly (Expr | undefined)[]) => parts.filter((part) => part !== undefined);
  switch (kind) {
    case 'selectExpr':
      return present([value.operand]);
    case 'callExpr':
      return present([value.target, ...value.args]);
    case 'listExpr':
      return value.elements;
    case 'structExpr':
      return present(
        value.entries.flatMap(({ keyKind, value: given }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          given,
        ]),
      );
    case 'comprehensionExpr':
      return present([value.iterRange, value.accuInit, value.loopCondition, value.loopStep, value.result]);
    default:
      return [];
  }
}

/** The depth of the tree in nodes. */
export function depthOf(expr: Expr): number {
  let depth = 0;
  let level: Expr[] = [expr];
  while (level.length > 0) {
    depth++;
    level = level.flatMap(partsOf);
  }
  return depth;
}
