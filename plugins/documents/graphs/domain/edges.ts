import type { GraphEdge } from '../generated/graph.ts';
import type { Findings } from './findings.ts';

/** The nodes of a graph and what leads from one to the other, by number. */
export interface Wiring {
  ids: readonly string[];
  /** For each node, the numbers of the nodes that lead to it. */
  before: readonly ReadonlySet<number>[];
}

/** Builds the wiring from edges whose ends are nodes. An edge counts once, however many cases it has. */
export function toWiring(ids: readonly string[], edges: readonly GraphEdge[]): Wiring {
  const numbers = new Map(ids.map((id, n) => [id, n]));
  const before = ids.map(() => new Set<number>());
  for (const { from, to } of edges) {
    const [a, b] = [numbers.get(from), numbers.get(to)];
    if (a !== undefined && b !== undefined) before[b]!.add(a);
  }
  return { ids, before };
}

/** Returns the numbers of the nodes, each after those that lead to it. Nodes on or behind a cycle are left out. */
export function sortTopologically({ ids, before }: Wiring): number[] {
  const next: number[][] = ids.map(() => []);
  const open = before.map(({ size }) => size);
  for (const [n, list] of before.entries()) for (const from of list) next[from]!.push(n);
  const order = ids.flatMap((_, n) => (open[n] === 0 ? [n] : []));
  for (let at = 0; at < order.length; at++) for (const n of next[order[at]!]!) if (--open[n]! === 0) order.push(n);
  return order;
}

const MAX_LISTED_NODES = 20;

/** Reports one error for each cycle, at an edge that closes it, with its members in order. */
export function checkCircles(wiring: Wiring, edges: readonly GraphEdge[], findings: Findings): void {
  const { ids, before } = wiring;
  const sound = new Set(sortTopologically(wiring));
  if (sound.size === ids.length) return;
  // One predecessor of each node is enough, because a cycle lies behind it.
  const back = before.map((list) => findFirst(list, (from) => !sound.has(from)));
  const edge_indexes = indexEdges(edges);
  const seen = new Set<number>();
  for (const [start] of ids.entries()) {
    if (sound.has(start) || seen.has(start)) continue;
    // Every remaining node has a remaining predecessor, so going back ends in a cycle.
    const path: number[] = [];
    for (let n = start; !seen.has(n); n = back[n]!) {
      seen.add(n);
      path.push(n);
    }
    const begin = path.indexOf(back[path.at(-1)!]!);
    if (begin < 0) continue;
    const circle = rotateToFirst(path.slice(begin).reverse());
    const members = circle.map((n) => ids[n]!);
    const [first, end] = [members[0]!, members.at(-1)!];
    const listed =
      members.length > MAX_LISTED_NODES ? [...members.slice(0, MAX_LISTED_NODES), '…'] : [...members, first];
    findings.add(`/edges/${edge_indexes.get(`${end}\n${first}`)}`, () => `closes a circle: ${listed.join(' → ')}`);
  }
}

function findFirst(list: Iterable<number>, matches: (n: number) => boolean): number | undefined {
  for (const n of list) if (matches(n)) return n;
  return undefined;
}

/** The first edge between two nodes. */
function indexEdges(edges: readonly GraphEdge[]): Map<string, number> {
  const indexes = new Map<string, number>();
  for (const [i, { from, to }] of edges.entries()) {
    const key = `${from}\n${to}`;
    if (!indexes.has(key)) indexes.set(key, i);
  }
  return indexes;
}

/** Rotates a cycle so that it begins with its first node in the document. */
function rotateToFirst(circle: readonly number[]): number[] {
  const at = circle.indexOf(circle.reduce((least, n) => Math.min(least, n), circle[0]!));
  return [...circle.slice(at), ...circle.slice(0, at)];
}

/** Which nodes surely end before which: the ancestors of each node, as bits. */
export class Ancestors {
  readonly #words: number;
  readonly #bits: Uint32Array;

  constructor(wiring: Wiring) {
    const { ids, before } = wiring;
    this.#words = Math.ceil(ids.length / 32);
    this.#bits = new Uint32Array(this.#words * ids.length);
    for (const n of sortTopologically(wiring))
      for (const from of before[n]!) {
        for (let word = 0; word < this.#words; word++)
          this.#bits[n * this.#words + word]! |= this.#bits[from * this.#words + word]!;
        this.#bits[n * this.#words + (from >>> 5)]! |= 1 << (from & 31);
      }
  }

  has(node: number, ancestor: number): boolean {
    return (this.#bits[node * this.#words + (ancestor >>> 5)]! & (1 << (ancestor & 31))) !== 0;
  }
}
