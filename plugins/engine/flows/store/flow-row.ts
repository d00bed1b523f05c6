import { inList, insertRows, type Param, type Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import type { FlowPlan } from '../contract.ts';
import type { FlowCounts } from '../domain/decide.ts';
import { type FlowScope, sealContext } from './sealing.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

/** Pending steps for the next transaction, as a stack. */
export type Step =
  /** Notify the nodes that need node `n`, from its edge number `from` on. */
  | { do: 'settle'; n: number; from: number }
  | { do: 'begin'; n: number }
  /** Begin items of the fan-out `n`. */
  | { do: 'fill'; n: number }
  /** Start the next attempt of a node, or of an item of it: the pause before it ended while the run was paused. */
  | { do: 'retry'; n: number; item: number }
  /** Copy the reused results from node `n` on: items after `item`, and then its edges from `edge` on. */
  | { do: 'keep'; n: number; item?: number; edge?: number };

/** The parts of a flow that never change. */
export interface FlowHeader {
  constants: Json;
  on_failure: NonNullable<FlowPlan['on_failure']>;
  output: { text: string; reads: [string, number][]; merged?: boolean } | null;
  /** The run whose results are reused. */
  kept?: string;
  resumed?: ResumedNode;
}

/** The node or item whose first attempt continues with a journal. */
export interface ResumedNode {
  n: number;
  item: number;
  activity_id: string;
}

/** The row of a flow in memory. */
export interface FlowRow extends FlowCounts {
  language: string;
  header: FlowHeader;
  error_code: string | null;
  error_message: string | null;
  todo: Step[];
}

const COLUMNS = `run_id org_id project_id language header nodes ended failed stopped error_code error_message todo
  resume_at`.split(/\s+/);

export async function insertFlow(
  tx: Transaction,
  sealer: Sealer,
  scope: FlowScope,
  flow: FlowRow,
  resume_at: number,
): Promise<void> {
  const header = sealer.seal(sealContext(scope, 'flows_flows', '', 'header'), Buffer.from(JSON.stringify(flow.header)));
  const { run_id, org_id, project_id } = scope;
  const row = [run_id, org_id, project_id, flow.language, header, flow.nodes, ...toProgressParams(flow, resume_at)];
  await insertRows(tx, 'INSERT INTO flows_flows', COLUMNS, [row]);
}

interface StoredFlow extends Omit<FlowRow, 'header' | 'todo'> {
  header: Buffer;
  todo: string | null;
}

export async function readFlow(
  on: Pick<Transaction, 'read'>,
  sealer: Sealer,
  scope: FlowScope,
): Promise<FlowRow | undefined> {
  const [row] = await on.read<StoredFlow>(
    `SELECT language, header, nodes, ended, failed, stopped, error_code, error_message, todo FROM flows_flows
     WHERE run_id = ? AND project_id = ?`,
    [scope.run_id, scope.project_id],
  );
  if (!row) return undefined;
  const header = sealer.open(sealContext(scope, 'flows_flows', '', 'header'), row.header).toString();
  return {
    ...row,
    header: parseExact(header) as FlowHeader,
    todo: row.todo === null ? [] : (JSON.parse(row.todo) as Step[]),
  };
}

export async function updateFlow(tx: Transaction, run_id: string, flow: FlowRow, resume_at: number): Promise<void> {
  await tx.write(
    `UPDATE flows_flows SET ended = ?, failed = ?, stopped = ?, error_code = ?, error_message = ?, todo = ?, resume_at = ?
     WHERE run_id = ?`,
    [...toProgressParams(flow, resume_at), run_id],
  );
}

/** Returns the parameters of the columns from `ended` on, in their order. */
function toProgressParams(
  { ended, failed, stopped, error_code, error_message, todo }: FlowRow,
  resume_at: number,
): Param[] {
  const has_steps = todo.length > 0;
  return [
    ended,
    failed,
    stopped,
    error_code,
    error_message,
    has_steps ? JSON.stringify(todo) : null,
    has_steps ? resume_at : null,
  ];
}

/** A flow with pending steps that are due. */
export interface PendingFlow extends FlowScope {
  resume_at: number;
}

/**
 * Flows with pending steps that are due: the oldest, and also the oldest of other orgs and of other projects, which would
 * otherwise wait behind all flows of one. They take turns (`inFairOrder`).
 */
export async function readPendingFlows(
  on: Pick<Transaction, 'read' | 'sql'>,
  now: number,
  limit: number,
): Promise<PendingFlow[]> {
  // The index with the org and the project, so that no row of a skipped flow is read.
  const index = 'flows_flows_pending';
  const pending = `flows_flows ${on.sql.family === 'mysql' ? `FORCE INDEX (${index})` : `INDEXED BY ${index}`}`;
  const read = (condition: string, params: readonly string[]) =>
    on.read<PendingFlow>(
      `SELECT run_id, org_id, project_id, resume_at FROM ${pending} WHERE resume_at <= ?${condition} ORDER BY resume_at
       LIMIT ${Math.trunc(limit)}`,
      [now, ...params],
    );
  const oldest = await read('', []);
  if (oldest.length < limit) return inFairOrder(oldest);
  const flows = new Map(oldest.map((flow) => [flow.run_id, flow]));
  for (const column of ['org_id', 'project_id'] as const) {
    const list = inList([...new Set(oldest.map((flow) => flow[column]))]);
    for (const flow of await read(` AND ${column} NOT IN ${list.placeholders}`, list.params))
      flows.set(flow.run_id, flow);
  }
  return inFairOrder([...flows.values()]);
}

/** Sorts flows so that the orgs take turns, and so do the projects of each org; those of one project stay in order. */
function inFairOrder(flows: readonly PendingFlow[]): PendingFlow[] {
  const byOrg = Map.groupBy(flows, ({ org_id }) => org_id);
  const lists_by_org = [...byOrg.values()].map((of_org) =>
    interleave([...Map.groupBy(of_org, ({ project_id }) => project_id).values()]),
  );
  return interleave(lists_by_org);
}

const interleave = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, nth) => nth).flatMap((nth) =>
    lists.flatMap((list) => list.slice(nth, nth + 1)),
  );

/** Postpones the pending steps of a flow, unless another server has continued it meanwhile. */
export async function postponeFlow(
  on: Pick<Transaction, 'write'>,
  { run_id, resume_at }: PendingFlow,
  until: number,
): Promise<void> {
  await on.write('UPDATE flows_flows SET resume_at = ? WHERE run_id = ? AND resume_at = ?', [until, run_id, resume_at]);
}

/** Makes the pending steps of a run that was paused due. */
export async function resumeFlow(on: Pick<Transaction, 'write'>, run_id: string, now: number): Promise<void> {
  await on.write('UPDATE flows_flows SET resume_at = ? WHERE run_id = ? AND resume_at IS NOT NULL', [now, run_id]);
}

/** A run that has ended has no pending steps; nodes in progress were cancelled with their activities. */
export async function endFlow(tx: Transaction, run_id: string, now: number): Promise<void> {
  await tx.write('UPDATE flows_flows SET todo = NULL, resume_at = NULL, stopped = 1 WHERE run_id = ?', [run_id]);
  await tx.write(
    `UPDATE flows_nodes SET state = 'cancelled', finished_at = ? WHERE run_id = ?
     AND state IN ('waiting', 'running', 'backoff')`,
    [now, run_id],
  );
}
