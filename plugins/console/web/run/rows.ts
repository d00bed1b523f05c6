import type { NodeRecord, StepRecord } from '../../../../cli/generated/api.ts';
import { nodeLabel } from '../../../runs/explain/node-label.ts';
import { timesOf } from '../../../runs/explain/step-times.ts';

/** One bar of a timeline. Times are epoch ms. */
export interface Row {
  key: string;
  label: string;
  kind: string;
  from: number;
  to: number;
  /** It goes on: the end is now. */
  open: boolean;
  state: 'good' | 'bad' | 'wait' | 'busy' | 'quiet';
  depth: number;
  /** Key of the step that it belongs to, where it is none itself. */
  of?: string;
  /** A pass that is not the last one of its program. */
  earlier?: boolean;
}

export const isNode = (step: StepRecord | NodeRecord): step is NodeRecord => 'node' in step;

const NODE_STATES: Record<NodeRecord['state'], Row['state']> = {
  waiting: 'quiet',
  running: 'busy',
  backoff: 'wait',
  succeeded: 'good',
  failed: 'bad',
  skipped: 'quiet',
  cancelled: 'quiet',
};

export function rowOfNode(node: NodeRecord, now: number): Row[] {
  if (!node.started_at) return [];
  const from = Date.parse(node.started_at);
  const state = node.substate ? 'wait' : NODE_STATES[node.state];
  const to = node.finished_at ? Date.parse(node.finished_at) : now;
  const key = node.item === undefined ? node.node : `${node.node}[${node.item}]`;
  const name = nodeLabel(node);
  const label = node.attempt > 1 ? `${name}, attempt ${node.attempt}` : name;
  const earlier = (node.attempts ?? []).map((attempt) => rowOfAttempt(node, key, attempt));
  // The earlier attempts have bars of their own; this one begins after them.
  const begun = Math.max(from, ...earlier.map((row) => row.to));
  const pauses = node.state === 'backoff';
  const last: Row = { key, label, kind: node.type, from: begun, to, open: !node.finished_at, state, depth: 0 };
  return [...earlier, pauses ? { ...last, label: `${name}, pause before attempt ${node.attempt + 1}` } : last];
}

type Attempt = NonNullable<NodeRecord['attempts']>[number];

const rowOfAttempt = ({ type: kind }: NodeRecord, of: string, { attempt, ...times }: Attempt): Row => ({
  ...{ key: `${of} attempt ${attempt}`, of, label: `${of}, attempt ${attempt}`, kind },
  ...{ from: Date.parse(times.started_at), to: Date.parse(times.finished_at), open: false, state: 'bad', depth: 0 },
});

export const keyOf = ({ activity_id, position }: StepRecord): string => `${activity_id} ${position}`;

export function rowOfStep(step: StepRecord, now: number): Row {
  const { from, to } = timesOf(step);
  const ended = to ? Date.parse(to) : now;
  const failed = step.exit_code !== undefined && step.exit_code !== 0;
  const open = step.status !== 'recorded';
  const state = open ? (step.status === 'waiting' ? 'wait' : 'busy') : failed ? 'bad' : 'good';
  return {
    key: keyOf(step),
    label: step.label ?? step.site.replace(/#0$/, ''),
    kind: step.kind,
    // Two clocks: the agent's says when it began, the database's when it was recorded.
    from: Math.min(Date.parse(from), ended),
    to: ended,
    open,
    state,
    depth: step.activity === '' ? 0 : 1,
  };
}
