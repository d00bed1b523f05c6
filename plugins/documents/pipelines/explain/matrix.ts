export const MAX_COMBINATIONS = 1000;

export type Combination = Record<string, unknown>;

/** The `strategy` of a job, as the document has it. */
interface Strategy {
  matrix: { include?: Combination[]; exclude?: Combination[] };
}

/** The axes of a matrix with their values. */
export function axesOf({ matrix }: Strategy): Record<string, unknown[]> {
  const axes = Object.entries(matrix).filter(([name]) => name !== 'include' && name !== 'exclude');
  return Object.fromEntries(axes) as Record<string, unknown[]>;
}

/** Returns the upper bound of the number of combinations, without building them. */
export const sizeOf = (strategy: Strategy): number =>
  Object.values(axesOf(strategy)).reduce((size, values) => size * values.length, 1) +
  (strategy.matrix.include?.length ?? 0);

/**
 * Lists the combinations of a matrix in order. `exclude` removes those that have all its members. Each entry of
 * `include` adds its members to the combinations whose axes it does not contradict, or becomes a combination of its own
 * when there is none.
 */
export function combinationsOf(strategy: Strategy): Combination[] {
  const axes = axesOf(strategy);
  const { include = [], exclude = [] } = strategy.matrix;
  let combinations: Combination[] = Object.keys(axes).length === 0 ? [] : [{}];
  for (const [axis, values] of Object.entries(axes))
    combinations = combinations.flatMap((combination) => values.map((value) => ({ ...combination, [axis]: value })));
  combinations = combinations.filter(
    (combination) => !exclude.some((out) => matches(combination, out, Object.keys(out))),
  );
  const added: Combination[] = [];
  const extended = combinations.map((combination) => ({ ...combination }));
  for (const entry of include) {
    const shared = Object.keys(entry).filter((name) => name in axes);
    const matching = extended.filter((_, i) => matches(combinations[i]!, entry, shared));
    for (const combination of matching) Object.assign(combination, entry);
    if (matching.length === 0) added.push({ ...entry });
  }
  return [...extended, ...added];
}

const matches = (a: Combination, b: Combination, names: readonly string[]): boolean =>
  names.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
