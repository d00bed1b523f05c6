/** Requirements in the one order in which they are stored and compared. */
export const normalRequires = (requires: readonly string[]): string[] => [...new Set(requires)].sort();

/** Does an agent with these capabilities cover every requirement? */
export const covers = (capabilities: ReadonlySet<string>, requires: readonly string[]): boolean =>
  requires.every((required) => capabilities.has(required));
