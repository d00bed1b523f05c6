/**
 * What is examined of a script, in one form for every language: calls, names, assignments and dependencies. The
 * readers, javascript-tree.mjs and python-tree.py, write it with short names, because there is one node for each
 * word.
 */
export interface Node {
  /** `all` is anything else; only its parts count. */
  k: 'all' | 'text' | 'name' | 'call' | 'list' | 'spread' | 'function' | 'set' | 'branch' | 'return' | 'import';
  /** Line and column, both counted from 1. */
  l: number;
  c: number;
  /** Parts in the order of the text: arguments, items, statements, or the assigned value. */
  a?: Node[];
  /**
   * A text itself, a dotted name, the name of a function, the module of an import, or the names that a `set` assigns.
   */
  v?: string | string[];
  /** What is called: a dotted name, or the expression. */
  f?: string;
  o?: Node;
  /** In Python the keyword arguments of a call; the members of an object or a dict whose names are literal and differ. */
  n?: Record<string, Node>;
  /** Set if a call creates an object. */
  new?: true;
  /** The parameters of a function, and whether the last one takes the rest. */
  p?: string[];
  rest?: boolean;
  /** Set if a `set` only declares names, which belong to the function around it. */
  d?: boolean;
  bare?: true;
  /** In Python, how many of the first parts decorate the function that is the last one. */
  g?: number;
  /** The condition of a branch. */
  t?: Node;
  /** Local and imported names of an import; an empty one is the module itself. */
  m?: Record<string, string>;
}

export type Position = Pick<Node, 'l' | 'c'>;

/** Returns all parts of a node, in the order of the text. */
export const childNodes = ({ o, t, a = [], n = {} }: Node): Node[] => [
  ...(o ? [o] : []),
  ...(t ? [t] : []),
  ...a,
  ...Object.values(n),
];

/** Returns the text of a literal. */
export const literalText = (node: Node | undefined): string | undefined =>
  node?.k === 'text' && typeof node.v === 'string' ? node.v : undefined;

/** Returns the names that a node assigns, or the name that it is. */
export const getNames = ({ v }: Node): string[] => (Array.isArray(v) ? v : typeof v === 'string' ? [v] : []);
