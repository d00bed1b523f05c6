/** How many bytes are examined before a position is skipped; at most the length of the shortest pattern. */
const PROBE = 16;
const FILTER_BITS = 16;
const BLOCK = 4;

/**
 * An Aho-Corasick automaton over bytes. Nodes are numbered in the order of the sorted patterns, so the first child of a node
 * always has the next number. Node 0 is the root.
 */
export interface Automaton {
  readonly count: number;
  readonly label: Uint8Array;
  readonly sibling: Int32Array;
  readonly fail: Int32Array;
  readonly depth: Int32Array;
  /** The length of the longest pattern that ends at each node; 0 for none. */
  readonly match_length: Int32Array;
  /** The children of the root by byte. */
  readonly root: Int32Array;
  /** The number of bytes to examine before a position can be skipped. */
  readonly probe: number;
  /**
   * How many positions can be skipped, by the hash of the last four bytes of a probe; 0 when a pattern may begin here.
   */
  readonly shift: Uint8Array;
}

/** Returns the index into `shift` for four bytes, lowest byte first. */
export const slotOf = (word: number): number => Math.imul(word, 0x9e3779b1) >>> (32 - FILTER_BITS);

/** Inserting or linking this many nodes takes a few milliseconds. */
const PIECE_NODES = 32 * 1024;

/** Builds the automaton, and pauses after each piece of work. Each pattern must have at least four bytes. */
export function* buildAutomaton(input_patterns: readonly Buffer[]): Generator<undefined, Automaton> {
  const patterns = [...input_patterns].sort(Buffer.compare);
  const most = patterns.reduce((sum, { length }) => sum + length, 1);
  const nodes: Nodes = {
    label: new Uint8Array(most),
    sibling: new Int32Array(most),
    fail: new Int32Array(most),
    depth: new Int32Array(most),
    match_length: new Int32Array(most),
  };
  const root = new Int32Array(256);
  yield;
  const count = yield* insertPatterns(patterns, nodes, root);
  const trie = { ...nodes, count, root, ...filterOf(patterns) };
  yield* linkFailures(trie);
  return trie;
}

/** Returns the child of a node for a byte; 0 for none. */
export function childOf(
  trie: Pick<Automaton, 'count' | 'label' | 'sibling' | 'depth' | 'root'>,
  node: number,
  byte: number,
): number {
  if (node === 0) return trie.root[byte]!;
  let child = node + 1;
  if (child >= trie.count || trie.depth[child] !== trie.depth[node]! + 1) return 0;
  while (child !== 0 && trie.label[child] !== byte) child = trie.sibling[child]!;
  return child;
}

type Nodes = Pick<Automaton, 'label' | 'sibling' | 'fail' | 'depth' | 'match_length'>;

function* insertPatterns(patterns: readonly Buffer[], nodes: Nodes, root: Int32Array): Generator<undefined, number> {
  let count = 1;
  let last: Buffer = Buffer.alloc(0);
  let inserted = 0;
  /** The nodes of the previous pattern, by depth. */
  const path: number[] = [0];
  for (const pattern of patterns) {
    let same = 0;
    while (same < last.length && same < pattern.length && last[same] === pattern[same]) same += 1;
    for (let depth = same; depth < pattern.length; depth += 1) {
      const node = count;
      count += 1;
      nodes.label[node] = pattern[depth]!;
      nodes.depth[node] = depth + 1;
      if (depth === same && same < last.length) nodes.sibling[path[depth + 1]!] = node;
      if (depth === 0) root[pattern[0]!] = node;
      path[depth + 1] = node;
    }
    nodes.match_length[path[pattern.length]!] = pattern.length;
    path.length = pattern.length + 1;
    last = pattern;
    inserted += pattern.length;
    if (inserted < PIECE_NODES) continue;
    inserted = 0;
    yield;
  }
  return count;
}

function* linkFailures(trie: Automaton): Generator<undefined, void> {
  const { count, sibling, fail, depth, match_length, label, root } = trie;
  const queue = new Int32Array(count);
  let end = 0;
  for (const node of root) if (node !== 0) queue[end++] = node;
  for (let next = 0; next < end; next += 1) {
    if (next % PIECE_NODES === 0) yield;
    const node = queue[next]!;
    if (match_length[node] === 0) match_length[node] = match_length[fail[node]!]!;
    let child = node + 1;
    if (child >= count || depth[child] !== depth[node]! + 1) continue;
    for (; child !== 0; child = sibling[child]!) {
      queue[end++] = child;
      let from = fail[node]!;
      let target = childOf(trie, from, label[child]!);
      while (target === 0 && from !== 0) {
        from = fail[from]!;
        target = childOf(trie, from, label[child]!);
      }
      fail[child] = target;
    }
  }
}

/** The filter of Wu and Manber: no pattern can begin before bytes that cannot end a probe. */
function filterOf(patterns: readonly Buffer[]): Pick<Automaton, 'probe' | 'shift'> {
  const probe = patterns.reduce((least, { length }) => Math.min(least, length), PROBE);
  const shift = new Uint8Array(1 << FILTER_BITS).fill(probe - BLOCK + 1);
  for (const pattern of patterns)
    for (let at = 0; at + BLOCK <= probe; at += 1) {
      const slot = slotOf(pattern.readInt32LE(at));
      shift[slot] = Math.min(shift[slot]!, probe - BLOCK - at);
    }
  return { probe, shift };
}
