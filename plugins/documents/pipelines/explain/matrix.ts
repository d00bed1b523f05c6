export const MAX_COMBINATIONS = 1000;
const MAX_AXES = 100;
/** Entries of `include`, and of `exclude`. */
const MAX_ENTRIES = 1000;
/** Members of entries times combinations: how often one value is compared with another at most. */
const MAX_COMPARED = 5_000_000;
/** Characters of the combinations as JSON. All of them are stored, and values repeat: a short document could make a gigabyte. */
const MAX_CHARACTERS = 1024 * 1024;

export type Combination = Record<string, unknown>;

/** The `strategy` of a job whose values are cached. */
interface Strategy {
  matrix: Matrix;
}

export interface Matrix {
  include?: Combination[];
  exclude?: Combination[];
  [axis: string]: unknown;
}

const AXIS = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const COMPUTED = '${{';

/** True for a matrix that the outputs of other jobs make: as a whole, or an axis of it. */
export const isComputed = ({ matrix }: { matrix: unknown }): boolean => JSON.stringify(matrix).includes(COMPUTED);

/**
 * Lists the combinations of a matrix that expressions have made, or returns what is wrong with it and where below `matrix`. A
 * list of objects is a list of combinations.
 */
export function combinationsOfComputed(value: unknown): Combination[] | { pointer: string; message: string } {
  const matrix = Array.isArray(value) ? { include: value as unknown[] } : value;
  if (!isObject(matrix))
    return { pointer: '', message: `must be a list, or an object with a list for each axis, not ${typeName(value)}` };
  for (const [name, values] of Object.entries(matrix)) {
    const pointer = `/${name}`;
    if (!AXIS.test(name)) return { pointer, message: 'is not the name of an axis: letters, digits and _' };
    if (!Array.isArray(values)) return { pointer, message: `must be a list, not ${typeName(values)}` };
    if (name !== 'include' && name !== 'exclude') continue;
    const n = values.findIndex((entry) => !isObject(entry));
    if (n >= 0) return { pointer: `${pointer}/${n}`, message: `must be an object, not ${typeName(values[n])}` };
  }
  return listCombinations(matrix as Matrix);
}

/** Lists the combinations of a matrix, or returns what there is too much of, and where below `matrix`. */
export function listCombinations(matrix: Matrix): Combination[] | { pointer: string; message: string } {
  const { include = [], exclude = [] } = matrix;
  const size = sizeOf({ matrix });
  if (size > MAX_COMBINATIONS)
    return { pointer: '', message: `has ${size} combinations; the limit is ${MAX_COMBINATIONS}` };
  const axes = Object.keys(axesOf({ matrix })).length;
  if (axes > MAX_AXES) return { pointer: '', message: `has ${axes} axes; the limit is ${MAX_AXES}` };
  for (const [name, entries] of Object.entries({ include, exclude }))
    if (entries.length > MAX_ENTRIES)
      return { pointer: `/${name}`, message: `has ${entries.length} entries; the limit is ${MAX_ENTRIES}` };
  const members = [...include, ...exclude].reduce((sum, entry) => sum + Object.keys(entry).length, 0);
  if (members * size > MAX_COMPARED)
    return { pointer: '', message: 'takes too much work: its `include` and `exclude` have too many members' };
  const combinations = combinationsOf({ matrix });
  if (isTooLong(combinations))
    return { pointer: '', message: `has combinations of more than ${MAX_CHARACTERS} characters of JSON in total` };
  return combinations;
}

function isTooLong(combinations: readonly Combination[]): boolean {
  const texts = new ValueTexts();
  let remaining = MAX_CHARACTERS;
  for (const combination of combinations)
    for (const [name, value] of Object.entries(combination)) {
      remaining -= name.length + texts.read(value).length;
      if (remaining < 0) return true;
    }
  return false;
}

/** The JSON of values, each written once: an axis has one value for many combinations. */
class ValueTexts {
  readonly #texts = new Map<unknown, { id: number; length: number }>();
  readonly #ids = new Map<string, number>();

  /** Equal values have the same id. */
  read(value: unknown): { id: number; length: number } {
    const cached = this.#texts.get(value);
    if (cached !== undefined) return cached;
    const text = JSON.stringify(value) ?? '';
    const id = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, id);
    const read = { id, length: text.length };
    this.#texts.set(value, read);
    return read;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const typeName = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;

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
  const texts = new ValueTexts();
  const toCondition = (entry: Combination, names: readonly string[]) =>
    names.map((name): [string, number] => [name, texts.read(entry[name]).id]);
  const matches = (combination: Combination, condition: readonly [string, number][]) =>
    condition.every(([name, id]) => texts.read(combination[name]).id === id);

  const excluded = exclude.map((entry) => toCondition(entry, Object.keys(entry)));
  const combinations = productOf(axes).filter(
    (combination) => !excluded.some((condition) => matches(combination, condition)),
  );
  const added: Combination[] = [];
  const extended = combinations.map((combination) => ({ ...combination }));
  for (const entry of include) {
    const condition = toCondition(
      entry,
      Object.keys(entry).filter((name) => Object.hasOwn(axes, name)),
    );
    const matching = extended.filter((_, i) => matches(combinations[i]!, condition));
    for (const combination of matching) Object.assign(combination, entry);
    if (matching.length === 0) added.push({ ...entry });
  }
  return [...extended, ...added];
}

/** An axis without values leaves no combinations, however many the axes before it have. */
function productOf(axes: Readonly<Record<string, readonly unknown[]>>): Combination[] {
  const lists = Object.values(axes);
  if (lists.length === 0 || lists.some((values) => values.length === 0)) return [];
  let combinations: Combination[] = [{}];
  for (const [axis, values] of Object.entries(axes))
    combinations = combinations.flatMap((combination) => values.map((value) => ({ ...combination, [axis]: value })));
  return combinations;
}
