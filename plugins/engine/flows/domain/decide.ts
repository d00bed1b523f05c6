import type { Completion, Json } from '../../runs/contract.ts';
import type { FlowCase, FlowNodeState } from '../contract.ts';
import { isRetryable, retryPause } from './retry.ts';
import type { NextEdge, PlannedNode } from './plan.ts';

/** The item number that stands for the node itself. */
export const NODE_ITEM = -1;

/** The state of a node or of one of its items, without its output. */
export interface NodeRow {
  n: number;
  item: number;
  state: FlowNodeState;
  /** Undecided needs, and met needs. */
  open: number;
  met: number;
  attempt: number;
  /** The activity of the current attempt, or of the pause before the next one. */
  activity_id: string | null;
  timer_id: string | null;
  /** Items: total, begun, ended, failed. */
  total: number | null;
  begun: number;
  ended: number;
  failed: number;
  outcome: Json;
  error_code: string | null;
  error_message: string | null;
  started_at: number | null;
  finished_at: number | null;
}

export const newRow = (n: number, item: number, open: number): NodeRow => ({
  n,
  item,
  open,
  state: 'waiting',
  met: 0,
  attempt: 0,
  activity_id: null,
  timer_id: null,
  total: null,
  begun: 0,
  ended: 0,
  failed: 0,
  outcome: null,
  error_code: null,
  error_message: null,
  started_at: null,
  finished_at: null,
});

export const isTerminal = ({ state }: Pick<NodeRow, 'state'>): boolean =>
  !['waiting', 'running', 'backoff'].includes(state);

/** Returns true when the outcome of a node meets an edge. */
export function isEdgeMet(node: PlannedNode, row: NodeRow, edge: NextEdge): boolean {
  if (row.state !== 'succeeded' && !(row.state === 'failed' && node.continue_on_error)) return false;
  if (edge.when === undefined) return true;
  return [edge.when].flat().includes(row.outcome as FlowCase);
}

/** Records that one need was decided: the node begins, is skipped, or waits for more. Changes the row's counts. */
export function resolveDependency(node: PlannedNode, row: NodeRow, met: boolean): 'begin' | 'skip' | 'wait' {
  row.open -= 1;
  if (met) row.met += 1;
  if (row.open > 0) return 'wait';
  const enough = node.join === 'any' ? row.met > 0 : row.met === node.needs;
  return enough || node.if?.always ? 'begin' : 'skip';
}

/** Decides whether an ended attempt is repeated after a pause or ends the node. Changes the row. */
export function completeAttempt(
  node: PlannedNode,
  row: NodeRow,
  result: Completion,
  now: number,
): { pause_ms: number } | 'over' {
  row.timer_id = null;
  if (result.status === 'failed') {
    row.error_code = result.code;
    row.error_message = result.message;
    if (row.attempt < (node.retry?.attempts ?? 1) && isRetryable(result)) return { pause_ms: retryPause(node, result) };
  } else {
    row.error_code = null;
    row.error_message = null;
  }
  row.state = result.status;
  row.finished_at = now;
  return 'over';
}

/** Returns how many items of a fan-out may begin now. */
export function countStartableItems(node: PlannedNode, row: NodeRow): number {
  if (row.state !== 'running' || row.total === null) return 0;
  const capacity = (node.fan_out?.concurrency ?? DEFAULT_CONCURRENCY) - (row.begun - row.ended);
  return Math.max(0, Math.min(capacity, row.total - row.begun));
}

const DEFAULT_CONCURRENCY = 16;

/** The consequence of an ended item for its fan-out. Changes the fan-out's row. */
export function completeItem(node: PlannedNode, row: NodeRow, item: NodeRow): 'more' | 'succeeded' | 'failed' {
  row.ended += 1;
  if (item.state === 'failed') {
    row.failed += 1;
    row.error_code ??= item.error_code;
    row.error_message ??= item.error_message;
    if (!node.continue_on_error && !node.fan_out?.finish_all) return 'failed';
  }
  if (row.ended < row.total!) return 'more';
  return row.failed > 0 && !node.continue_on_error ? 'failed' : 'succeeded';
}

/** The progress of the whole flow. */
export interface FlowCounts {
  nodes: number;
  ended: number;
  /** Failures without `continue_on_error`. */
  failed: number;
  stopped: number;
}

/** Returns true when every node is decided, or the flow was stopped. */
export const isDecided = ({ nodes, ended, stopped }: FlowCounts): boolean => stopped === 1 || ended === nodes;
