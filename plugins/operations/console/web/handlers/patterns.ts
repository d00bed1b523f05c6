/** The one type that a list can be asked for; undefined where several fit. */
export function onlyType(patterns: readonly string[]): string | undefined {
  const [first] = patterns;
  return patterns.length === 1 && first !== undefined && !first.endsWith('*') ? first : undefined;
}

/** `run.*, build.done` as a form has it. Lines and spaces part them too. */
export const patternsOf = (text: string): string[] => text.split(/[\s,]+/).filter((pattern) => pattern !== '');
