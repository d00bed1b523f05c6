import { type Change, compareGraphs } from '../../../../../documents/graphs/explain/compare.ts';
import type { Mark } from '../canvas/marks.ts';
import { edgeKey, type GraphDocument, type GraphEdge } from '../document.ts';

/** Two versions in one drawing. */
export interface Differences {
  /** The newer one, with what it no longer has. */
  both: GraphDocument;
  marks: ReadonlyMap<string, Mark>;
  edgeMarks: ReadonlyMap<string, Mark>;
  changes: readonly Change[];
}

const NODE = 'node ';
const MOVED = /^position(\.|$)/;
const plain = (document: GraphDocument) => document as unknown as Record<string, unknown>;

export function differencesOf(from: GraphDocument, to: GraphDocument): Differences {
  const changes = compareGraphs(plain(from), plain(to));
  const [before, after] = [from.edges ?? [], to.edges ?? []];
  const gone = without(before, after);
  const kept = new Set(to.nodes.map(({ id }) => id));
  return {
    both: {
      ...to,
      nodes: [...to.nodes, ...from.nodes.filter(({ id }) => !kept.has(id))],
      edges: [...after, ...gone],
    },
    marks: nodeMarks(changes),
    edgeMarks: new Map([...marked(without(after, before), 'added'), ...marked(gone, 'removed')]),
    changes,
  };
}

function without(edges: readonly GraphEdge[], others: readonly GraphEdge[]): GraphEdge[] {
  const known = new Set(others.map(edgeKey));
  return edges.filter((edge) => !known.has(edgeKey(edge)));
}

const marked = (edges: readonly GraphEdge[], tone: 'added' | 'removed') =>
  edges.map((edge) => [edgeKey(edge), { tone }] as const);

/** The changes of each node, by its id. */
export function byNode(changes: readonly Change[]): ReadonlyMap<string, readonly Change[]> {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const id = change.subject.slice(NODE.length);
    if (change.subject.startsWith(NODE)) found.set(id, [...(found.get(id) ?? []), change]);
  }
  return found;
}

function nodeMarks(changes: readonly Change[]): ReadonlyMap<string, Mark> {
  return new Map([...byNode(changes)].map(([id, own]) => [id, markOf(own)]));
}

function markOf(own: readonly Change[]): Mark {
  const [first] = own;
  if (own.length === 1 && first!.field === undefined) return { tone: first!.what };
  const fields = own.map(({ field = '' }) => field);
  const real = fields.filter((field) => !MOVED.test(field));
  if (real.length === 0) return { tone: 'quiet', status: 'moved' };
  return { tone: 'changed', note: real.join(', ') };
}
