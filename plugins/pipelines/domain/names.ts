/** The roots of expressions in a pipeline. */
export const ROOTS = ['input', 'vars', 'env', 'matrix', 'steps', 'jobs', 'run'] as const;
export type Root = (typeof ROOTS)[number];

/** The members of a root that an expression reads; `all` when it also reads it in another way than `root.member`. */
export interface Members {
  names: Set<string>;
  all: boolean;
}

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** What an expression reads of a root; undefined when it does not name it. */
export function readsOf(expression: string, root: Root | 'event'): Members | undefined {
  // Most expressions name one root, and each is asked for every root.
  if (!expression.includes(root)) return undefined;
  const indexed = new RegExp(`(?<![\\w.])${root}\\s*\\[\\s*(?:"([^"\\\\]*)"|'([^'\\\\]*)')\\s*\\]`, 'g');
  const named = new RegExp(`(?<![\\w.])${root}(?:\\s*\\.\\s*([A-Za-z_]\\w*))?(?!\\w)`, 'g');
  const members: Members = { names: new Set(), all: false };
  const rest = expression.replace(indexed, (_whole, one?: string, other?: string) => {
    members.names.add(one ?? other ?? '');
    return ' ';
  });
  for (const [, name] of rest.replace(TEXTS, "''").matchAll(named))
    if (name === undefined) members.all = true;
    else members.names.add(name);
  return members.names.size > 0 || members.all ? members : undefined;
}
