import { ExactNumber } from './exact-number.ts';

/** Tells whether a value is a number that a double does not represent exactly. */
export const isExact = (value: unknown): boolean => typeof value === 'bigint' || value instanceof ExactNumber;

const isHolder = (value: unknown): value is object => typeof value === 'object' && value !== null;

const clampToDouble = (value: unknown): number =>
  Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(value)));

/**
 * Copies a value with doubles in place of exact numbers, because a schema knows only doubles. Numbers beyond their range become
 * the largest double. The value may contain itself, as YAML allows.
 */
export function withDoubles(value: unknown, made = new Map<object, object>()): unknown {
  if (isExact(value)) return clampToDouble(value);
  if (!isHolder(value)) return value;
  const copied = made.get(value);
  if (copied !== undefined) return copied;
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

/** Replaces the values at these paths of `into` by doubles of the numbers at the same paths of `from`. */
export function putDoubles(into: unknown, pointers: Iterable<readonly string[]>, from: unknown): void {
  for (const steps of pointers) {
    const holder = valueAt(into, steps.slice(0, -1));
    const number = valueAt(from, steps);
    if (isHolder(holder) && isExact(number)) (holder as Record<string, unknown>)[steps.at(-1)!] = Number(number);
  }
}

/** Resolves the steps of a JSON pointer; undefined when they lead nowhere. */
export const valueAt = (value: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (of, step) => (isHolder(of) && Object.hasOwn(of, step) ? (of as Record<string, unknown>)[step] : undefined),
    value,
  );
