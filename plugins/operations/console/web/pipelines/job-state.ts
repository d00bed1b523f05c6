import type { NodeRecord } from '../../../../../cli/generated/api.ts';
import type { Job } from './document.ts';

/** Nodes that plans of earlier versions show before and after a job. */
const LEASE = 'svc-lease-';
const READ = 'svc-read-';

/** What the engine says of one job. */
export interface JobState {
  /** `waiting`, `running`, `skipped` and so on; `waits for a lock` while its group is held by another. */
  state: string;
  node: NodeRecord | undefined;
  /** Why it has not begun, or waits. */
  why?: string;
}

const OVER = ['succeeded', 'failed', 'skipped', 'cancelled'];

/** The nodes of a run by their ids, without those of items. */
export const byNode = (nodes: readonly NodeRecord[]): Map<string, NodeRecord> =>
  new Map(nodes.filter(({ item }) => item === undefined).map((node) => [node.node, node]));

export function stateOf(job: Job, nodes: ReadonlyMap<string, NodeRecord>): JobState {
  const node = nodes.get(job.id);
  const lease = nodes.get(LEASE + job.id);
  if (lease?.state === 'running')
    return { state: 'waiting', node, why: `It is waiting for the lock ${lease.substate?.name ?? job.group ?? ''}.` };
  const read = nodes.get(READ + job.id);
  if (read?.state === 'failed')
    return { state: 'failed', node, why: read.error?.message ?? 'Its file could not be read.' };
  if (read?.state === 'running') return { state: 'running', node, why: 'Its file is being read from the repository.' };
  if (!node) return { state: 'waiting', node };
  const why = reason(job, node, nodes);
  return { state: node.substate ? 'waiting' : node.state, node, ...(why !== undefined && { why }) };
}

function reason(job: Job, node: NodeRecord, nodes: ReadonlyMap<string, NodeRecord>): string | undefined {
  if (node.error) return node.error.message;
  if (node.substate) return waitOf(node.substate);
  if (node.state === 'backoff') return 'Its next attempt starts after a pause.';
  if (node.state === 'skipped') return skipped(job, nodes);
  if (node.activity?.state === 'queued') return noAgent(node.activity.requires);
  if (node.state !== 'waiting') return undefined;
  const open = job.needs.filter((need) => !OVER.includes(nodes.get(need)?.state ?? 'waiting'));
  return open.length > 0 ? `It needs ${open.join(', ')}.` : undefined;
}

function waitOf({ kind, name }: NonNullable<NodeRecord['substate']>): string {
  if (kind === 'event') return `It is waiting for an event of type ${name}.`;
  if (kind === 'ask') return `It is waiting until somebody asks ${name}.`;
  if (kind === 'awaiting_lease') return `It is waiting for the lock ${name}.`;
  return kind === 'child' ? 'It is waiting for the run that it called.' : `It is waiting for ${name}.`;
}

function skipped({ condition, needs }: Job, nodes: ReadonlyMap<string, NodeRecord>): string {
  const unmet = needs.filter((need) => nodes.get(need)?.state !== 'succeeded');
  if (unmet.length > 0) return `It needs ${unmet.join(', ')}, which did not succeed.`;
  return condition === undefined ? 'Its needs were not met.' : `Its condition was not true: ${condition}`;
}

const noAgent = (requires: readonly string[] = []): string =>
  requires.length > 0
    ? `It is waiting for an agent with ${requires.join(', ')}.`
    : 'It is waiting for an agent with a free slot.';
