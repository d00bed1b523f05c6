/** Bytes that are examined from a start before it is skipped; at most the length of the shortest pattern. */
const PROBE = 16;
const FILTER_BITS = 16;
const BLOCK = 4;

/**
 * Aho-Corasick over bytes. Nodes are numbered in the order of the sorted patterns, so the first child of a node is
 * always the next number. Node 0 is the root.
 */
export interface Automaton {
  readonly count: number;
  readonly label: Uint8Array;
  readonly sibling: Int32Array;
  readonly fail: Int32Array;
  readonly depth: Int32Array;
  /** Length of the longest pattern that ends at this node; 0 for none. */
  readonly found: Int32Array;
  /** Children of the root by byte. */
  readonly root: Int32Array;
  /** Bytes to examine before a start can be skipped. */
  readonly probe: number;
  /**
   * Indexed by the hash of the last four bytes of a probe: how many starts can be skipped; 0 when a pattern may begin
   * here.
   */
  readonly shift: Uint8Array;
}

/** Index into `shift` for four bytes, lowest byte first. */
export const slotOf = (word: number): number => Math.imul(word, 0x9e3779b1) >>> (32 - FILTER_BITS);

/** Patterns have at least four bytes each. */
export function buildAutomaton(given: readonly Buffer[]): Automaton {
  const patterns = [...given].sort(Buffer.compare);
  const most = patterns.reduce((sum, { length }) => sum + length, 1);
  const nodes = {
    label: new Uint8Array(most),
    sibling: new Int32Array(most),
    fail: new Int32Array(most),
    depth: new Int32Array(most),
    found: new Int32Array(most),
  };
  const root = new Int32Array(256);
  const count = plant(patterns, nodes, root);
  const trie = { ...nodes, count, root, ...filterOf(patterns) };
  linkFailures(trie);
  return trie;
}

/** The child of a node for a byte; 0 for none. */
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

type Nodes = Pick<Automaton, 'label' | 'sibling' | 'depth' | 'found'>;

function plant(patterns: readonly Buffer[], nodes: Nodes, root: Int32Array): number {
  let count = 1;
  let last: Buffer = Buffer.alloc(0);
  /** Nodes of the latest pattern, by depth. */
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
    nodes.found[path[pattern.length]!] = pattern.length;
    path.length = pattern.length + 1;
    last = pattern;
  }
  return count;
}

function linkFailures(trie: Automaton): void {
  const { count, sibling, fail, depth, found, label, root } = trie;
  const queue = new Int32Array(count);
  let end = 0;
  for (const node of root) if (node !== 0) queue[end++] = node;
  for (let next = 0; next < end; next += 1) {
    const node = queue[next]!;
    if (found[node] === 0) found[node] = found[fail[node]!]!;
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

/** Wu-Manber: no pattern begins before bytes that cannot end a probe. */
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
