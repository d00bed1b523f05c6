/** Requirements in the canonical order for storing and comparing. */
export const normalRequires = (requires: readonly string[]): string[] => [...new Set(requires)].sort();

/** True when an agent with these capabilities covers every requirement. */
export const covers = (capabilities: ReadonlySet<string>, requires: readonly string[]): boolean =>
  requires.every((required) => capabilities.has(required));
