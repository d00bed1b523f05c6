export const MAX_COMBINATIONS = 1000;

export type Combination = Record<string, unknown>;

/** As a document has it. */
interface Strategy {
  matrix: { include?: Combination[]; exclude?: Combination[] };
}

/** The axes of a matrix with their values. */
export function axesOf({ matrix }: Strategy): Record<string, unknown[]> {
  const axes = Object.entries(matrix).filter(([name]) => name !== 'include' && name !== 'exclude');
  return Object.fromEntries(axes) as Record<string, unknown[]>;
}

/** How many combinations a matrix may have, before they are made. */
export const sizeOf = (strategy: Strategy): number =>
  Object.values(axesOf(strategy)).reduce((size, values) => size * values.length, 1) +
  (strategy.matrix.include?.length ?? 0);

/**
 * The combinations of a matrix in order. `exclude` removes those that have all its members. Each entry of `include` adds
 * its members to the combinations whose axes it does not contradict, or is a combination of its own if there is none.
 */
export function combinationsOf(strategy: Strategy): Combination[] {
  const axes = axesOf(strategy);
  const { include = [], exclude = [] } = strategy.matrix;
  let made: Combination[] = Object.keys(axes).length === 0 ? [] : [{}];
  for (const [axis, values] of Object.entries(axes))
    made = made.flatMap((combination) => values.map((value) => ({ ...combination, [axis]: value })));
  made = made.filter((combination) => !exclude.some((out) => agrees(combination, out, Object.keys(out))));
  const added: Combination[] = [];
  const own = made.map((combination) => ({ ...combination }));
  for (const entry of include) {
    const shared = Object.keys(entry).filter((name) => name in axes);
    const fitting = own.filter((_, i) => agrees(made[i]!, entry, shared));
    for (const combination of fitting) Object.assign(combination, entry);
    if (fitting.length === 0) added.push({ ...entry });
  }
  return [...own, ...added];
}

const agrees = (a: Combination, b: Combination, names: readonly string[]): boolean =>
  names.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
