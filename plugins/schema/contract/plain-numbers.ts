import { ExactNumber } from './exact-number.ts';

/** A number that is more than a double. */
export const isExact = (value: unknown): boolean => typeof value === 'bigint' || value instanceof ExactNumber;

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

const near = (value: unknown): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)));

/**
 * The value with doubles in their place, as a schema knows numbers: the largest one for what is beyond all of them. It may
 * hold itself, as YAML can.
 */
export function withDoubles(value: unknown, made = new Map<object, object>()): unknown {
  if (isExact(value)) return near(value);
  if (!isHolder(value)) return value;
  const known = made.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const copy: unknown[] = [];
    made.set(value, copy);
    for (const item of value) copy.push(typeof item === 'number' ? item : withDoubles(item, made));
    return copy;
  }
  const copy = {};
  made.set(value, copy);
  for (const [name, member] of Object.entries(value))
    Object.defineProperty(copy, name, { value: withDoubles(member, made), enumerable: true, writable: true });
  return copy;
}

/** Puts doubles for the numbers to which these steps lead in `from` where they lead in `into`. */
export function putDoubles(into: unknown, places: Iterable<readonly string[]>, from: unknown): void {
  for (const steps of places) {
    const holder = valueAt(into, steps.slice(0, -1));
    const found = valueAt(from, steps);
    if (isHolder(holder) && isExact(found)) (holder as Record<string, unknown>)[steps.at(-1)!] = Number(found);
  }
}

/** Where the steps of a JSON pointer lead; undefined where nothing is. */
export const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (of, step) => (isHolder(of) && Object.hasOwn(of, step) ? (of as Record<string, unknown>)[step] : undefined),
    value,
  );
