import { matchesPattern } from '../contract/event-pattern.ts';

/** Returns the first pattern that matches a type, or undefined. */
export const matchingPattern = (patterns: readonly string[], type: string): string | undefined =>
  patterns.find((pattern) => matchesPattern(pattern, type));

/**
 * Finds the entries that match a type, in the order in which they were added. The cost depends on the number of
 * matches and of distinct prefix lengths, never on the number of patterns.
 */
export class PatternIndex<T> {
  readonly #exact = new Map<string, Set<number>>();
  readonly #prefixes = new Map<number, Map<string, Set<number>>>();
  readonly #items: T[] = [];

  add(patterns: readonly string[], item: T): void {
    const position = this.#items.push(item) - 1;
    for (const pattern of patterns) {
      const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
      const indexes = prefix === undefined ? this.#exact : this.#prefixesOfLength(prefix.length);
      const text = prefix ?? pattern;
      const positions = indexes.get(text);
      if (positions) positions.add(position);
      else indexes.set(text, new Set([position]));
    }
  }

  match(type: string): T[] {
    const matches = new Set<number>(this.#exact.get(type) ?? []);
    for (const [length, prefixes] of this.#prefixes)
      if (length <= type.length) for (const at of prefixes.get(type.slice(0, length)) ?? []) matches.add(at);
    return [...matches].sort((one, other) => one - other).map((at) => this.#items[at]!);
  }

  #prefixesOfLength(length: number): Map<string, Set<number>> {
    const prefixes = this.#prefixes.get(length) ?? new Map<string, Set<number>>();
    this.#prefixes.set(length, prefixes);
    return prefixes;
  }
}
