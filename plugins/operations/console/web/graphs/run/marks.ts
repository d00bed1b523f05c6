import type { NodeRecord } from '../../../../../../cli/generated/api.ts';
import type { Mark, Tone } from '../canvas/marks.ts';

const TONES: Record<NodeRecord['state'], Tone> = {
  waiting: 'quiet',
  running: 'busy',
  backoff: 'waiting',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'quiet',
  cancelled: 'quiet',
};

/** What a node of a run has come to, in a few words. */
export function markOf(node: NodeRecord): Mark {
  const { state, substate, attempt, items, case: came, error, kept } = node;
  const status = substate ? `waits: ${substate.kind}` : state === 'waiting' ? 'not started' : state;
  const more = [
    ...(items ? [`${items.ended}/${items.total}`] : []),
    ...(items && items.failed > 0 ? [`${items.failed} failed`] : []),
    ...(came === undefined ? [] : [`→ ${came}`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(kept ? ['kept'] : []),
  ];
  return {
    tone: substate ? 'waiting' : TONES[state],
    status: [status, ...more].join(' · '),
    ...(error && { note: `${error.code}: ${error.message.split('\n', 1)[0]!.slice(0, 200)}` }),
  };
}

/** By id. Items have no place of their own on a canvas. */
export const marksOf = (nodes: readonly NodeRecord[]): ReadonlyMap<string, Mark> =>
  new Map(nodes.filter(({ item }) => item === undefined).map((node) => [node.node, markOf(node)]));
