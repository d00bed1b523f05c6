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
