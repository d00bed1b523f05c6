import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import type { Mark } from '../canvas/marks.ts';
import { edgeKey, type GraphDocument, type GraphEdge } from '../document.ts';

const plural = (n: number) => `${n} ${n === 1 ? 'item' : 'items'}`;

/** How much came through: the items of a list, or one value. */
const through = ({ items, output }: NodeRecord): number => items?.ended ?? (Array.isArray(output) ? output.length : 1);

function markOf({ when }: GraphEdge, from: NodeRecord, to: NodeRecord): Mark | undefined {
  const over =
    from.state === 'succeeded' || (from.state === 'failed' && to.state !== 'waiting' && to.state !== 'cancelled');
  if (!over) return undefined;
  // The other way out of a condition: nothing came along it.
  if (when !== undefined && when !== from.case) return { tone: 'quiet', status: 'not taken' };
  if (from.state === 'failed') return { tone: 'bad', status: 'error', count: 1 };
  const busy = to.state === 'running' || to.state === 'backoff' || to.state === 'waiting';
  const count = through(from);
  return { tone: busy ? 'busy' : 'good', status: plural(count), count };
}

/** What came along the edges of a run, by their keys; nothing for those that nothing has reached. */
export function edgeStatesOf(
  { edges = [] }: Pick<GraphDocument, 'edges'>,
  nodes: ReadonlyMap<string, NodeRecord>,
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const edge of edges) {
    const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
    const skipped = from?.state === 'skipped';
    const mark = from && to && !skipped ? markOf(edge, from, to) : undefined;
    if (mark) marks.set(edgeKey(edge), mark);
  }
  return marks;
}

/** Of the nodes themselves, not of their items. */
export const recordsOf = (nodes: readonly NodeRecord[]): ReadonlyMap<string, NodeRecord> =>
  new Map(nodes.filter(({ item }) => item === undefined).map((node) => [node.node, node]));
