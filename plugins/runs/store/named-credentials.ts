type Named = Readonly<Record<string, string>>;

/** Documents name credentials at pointers, which begin with a stroke; submits name them for variables, which cannot. */
const OF_THE_DOCUMENT = /^\//;

/** What the column of a run holds: the credentials of its submit, and those that its document names. */
export const writeNamed = (given: Named = {}, named: Named = {}): Record<string, string> => ({ ...named, ...given });

/** Those of the submit: they become variables. */
export function readGiven(column: string | null): Record<string, string> | undefined {
  if (column === null) return undefined;
  const all = Object.entries(JSON.parse(column) as Named).filter(([place]) => !OF_THE_DOCUMENT.test(place));
  return all.length === 0 ? undefined : Object.fromEntries(all);
}
