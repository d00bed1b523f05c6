import type { Fault } from '../../../kernel/contracts/index.ts';

/** Patterns of one handler. */
export const MAX_PATTERNS = 32;
const PATTERN = /^(?:[A-Za-z0-9._-]{1,64}|[A-Za-z0-9._-]{0,63}\*)$/;

/** Why a text is not a valid pattern, or undefined. Patterns are a type, a prefix followed by `*`, or `*` alone. */
export function patternFault(pattern: string): string | undefined {
  if (PATTERN.test(pattern)) return undefined;
  if (pattern.includes(',')) return 'contains several patterns; write each one as its own element of the list';
  const stars = pattern.split('*').length - 1;
  if (stars > 1 || (stars === 1 && !pattern.endsWith('*'))) return 'may have only one *, at its end, like run.* or *';
  return 'must be an event type, a prefix with * at its end, or *: 1 to 64 characters from A-Z a-z 0-9 . _ -';
}

/** The faults of a handler's patterns, each with its pointer. */
export function patternFaults(patterns: readonly string[], pointer = '/on'): Fault[] {
  if (patterns.length === 0) return [{ pointer, message: 'must name at least one type of event' }];
  if (patterns.length > MAX_PATTERNS) return [{ pointer, message: `must have at most ${MAX_PATTERNS} patterns` }];
  return patterns.flatMap((pattern, index) => {
    const message = patternFault(pattern);
    return message === undefined ? [] : [{ pointer: `${pointer}/${index}`, message }];
  });
}

/** The first pattern that matches a type, or undefined. */
export const fitting = (patterns: readonly string[], type: string): string | undefined =>
  patterns.find((pattern) => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type));

/**
 * Finds the entries that match a type, in the order of their addition. The cost depends on the matches and on the
 * number of distinct prefix lengths, never on the number of patterns.
 */
export class PatternIndex<T> {
  readonly #exact = new Map<string, Set<number>>();
  readonly #prefixes = new Map<number, Map<string, Set<number>>>();
  readonly #items: T[] = [];

  add(patterns: readonly string[], item: T): void {
    const at = this.#items.push(item) - 1;
    for (const pattern of patterns) {
      const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
      const places = prefix === undefined ? this.#exact : this.#ofLength(prefix.length);
      const text = prefix ?? pattern;
      const known = places.get(text);
      if (known) known.add(at);
      else places.set(text, new Set([at]));
    }
  }

  fitting(type: string): T[] {
    const found = new Set<number>(this.#exact.get(type) ?? []);
    for (const [length, prefixes] of this.#prefixes)
      if (length <= type.length) for (const at of prefixes.get(type.slice(0, length)) ?? []) found.add(at);
    return [...found].sort((one, other) => one - other).map((at) => this.#items[at]!);
  }

  #ofLength(length: number): Map<string, Set<number>> {
    const known = this.#prefixes.get(length) ?? new Map<string, Set<number>>();
    this.#prefixes.set(length, known);
    return known;
  }
}
