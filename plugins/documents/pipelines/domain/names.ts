/** The roots of expressions in a pipeline. */
export const ROOTS = ['input', 'inputs', 'vars', 'env', 'matrix', 'steps', 'jobs', 'run'] as const;
export type Root = (typeof ROOTS)[number];

/**
 * The members of a root that an expression reads. `all` is true when it also reads the root in a form other than
 * `root.member`.
 */
export interface Members {
  names: Set<string>;
  all: boolean;
}

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Returns the members of a root that an expression reads; undefined when it does not name the root. */
export function findReads(expression: string, root: Root | 'event'): Members | undefined {
  // Most expressions name one root, and this is called for every root.
  if (!expression.includes(root)) return undefined;
  const indexed = new RegExp(`(?<![\\w.])${root}\\s*\\[\\s*(?:"([^"\\\\]*)"|'([^'\\\\]*)')\\s*\\]`, 'g');
  const named = new RegExp(`(?<![\\w.])${root}(?:\\s*\\.\\s*([A-Za-z_]\\w*))?(?!\\w)`, 'g');
  const members: Members = { names: new Set(), all: false };
  const unindexed = expression.replace(indexed, (_match, double_quoted?: string, single_quoted?: string) => {
    members.names.add(double_quoted ?? single_quoted ?? '');
    return ' ';
  });
  for (const [, name] of unindexed.replace(TEXTS, "''").matchAll(named))
    if (name === undefined) members.all = true;
    else members.names.add(name);
  return members.names.size > 0 || members.all ? members : undefined;
}
