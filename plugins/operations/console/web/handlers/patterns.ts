/** Does a handler's pattern fit a type: an exact type, the beginning of types with a `*`, or `*`? */
export const fitsPattern = (pattern: string, type: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;

/** The one type that a list can be asked for; undefined where several fit. */
export function onlyType(patterns: readonly string[]): string | undefined {
  const [first] = patterns;
  return patterns.length === 1 && first !== undefined && !first.endsWith('*') ? first : undefined;
}

/** `run.*, build.done` as a form has it. Lines and spaces part them too. */
export const patternsOf = (text: string): string[] => text.split(/[\s,]+/).filter((pattern) => pattern !== '');
