/** Whether a pattern of a handler matches a type: it is the type, a prefix of it followed by `*`, or `*` alone. */
export const matchesPattern = (pattern: string, type: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type;
