/**
 * What is looked at of a script, in one form for every language: calls, names, what is set, what depends on what. The
 * readers, javascript-tree.mjs and python-tree.py, write it with short names, because there is one for each word.
 */
export interface Node {
  /** `all` is anything else: only its parts count. */
  k: 'all' | 'text' | 'name' | 'call' | 'list' | 'spread' | 'function' | 'set' | 'branch' | 'return' | 'import';
  /** Line and column, both from 1. */
  l: number;
  c: number;
  /** Parts, in the order of the text: arguments, items, statements, what a name is set to. */
  a?: Node[];
  /** Of a text and of a name, `a.b.c`, itself; of a function its name; of an import the module; of a `set` the names. */
  v?: string | string[];
  /** Of a call: what is called, `a.b.c`, or the expression that is called. */
  f?: string;
  o?: Node;
  /** Of a call of Python: arguments with names. Of JavaScript: it makes an object. */
  n?: Record<string, Node>;
  new?: true;
  /** Of a function: its parameters, and whether the last one takes the rest. */
  p?: string[];
  rest?: boolean;
  /** Of a `set`: the names belong to the function around it; it only declares them. */
  d?: boolean;
  bare?: true;
  /** Of a branch: what decides. */
  t?: Node;
  /** Of an import: names here, and there; an empty one is the module itself. */
  m?: Record<string, string>;
}

export type Place = Pick<Node, 'l' | 'c'>;

/** All parts of a node, in the order of the text. */
export const partsOf = ({ o, t, a = [], n = {} }: Node): Node[] => [
  ...(o ? [o] : []),
  ...(t ? [t] : []),
  ...a,
  ...Object.values(n),
];

/** The text of a literal. */
export const textOf = (node: Node | undefined): string | undefined =>
  node?.k === 'text' && typeof node.v === 'string' ? node.v : undefined;

/** The names that a node sets, or the name that it is. */
export const namesOf = ({ v }: Node): string[] => (Array.isArray(v) ? v : typeof v === 'string' ? [v] : []);
