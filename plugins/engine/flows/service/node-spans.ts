import type { Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { NodeSpan } from '../../runs/contract.ts';
import { activityName } from '../domain/attempts.ts';
import { NODE_ITEM } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { CHUNK_SIZE, PLAN, readChunks } from '../store/lists.ts';
import { listOpen, readOpenItems, type StoredNode } from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';

/** Nodes of a run that ends before they do; of a run with more the spans of the others are missing. */
const MAX_OPEN = 500;

/** Converts a node or an item for the run's trace; undefined when it did nothing in this run. */
export function toNodeSpan(node: PlannedNode, row: StoredNode): NodeSpan | undefined {
  const { state, attempt, started_at, finished_at, error_code } = row;
  if (finished_at === null || state === 'skipped' || node.kept !== undefined) return undefined;
  const of = row.item === NODE_ITEM ? undefined : node.id;
  return {
    name: activityName(node, row),
    of,
    type: node.type,
    state,
    attempts: attempt,
    started_at,
    finished_at,
    error_code,
  };
}

/** The nodes and items in progress of a run that ends now. The org's keys must be ready. */
export async function openNodeSpans(tx: Transaction, sealer: Sealer, run: FlowScope, now: number): Promise<NodeSpan[]> {
  const node_rows = await listOpen(tx, run.run_id, -1, MAX_OPEN);
  const rows: StoredNode[] = [...node_rows];
  for (const { n, total } of node_rows) if (total !== null) rows.push(...(await readOpenItems(tx, run.run_id, n)));
  const chunk_numbers = [...new Set(rows.map(({ n }) => Math.floor(n / CHUNK_SIZE)))];
  const chunks = await readChunks<PlannedNode>(tx, sealer, run, PLAN, chunk_numbers);
  return rows.flatMap((row) => {
    const node = chunks.get(Math.floor(row.n / CHUNK_SIZE))?.[row.n % CHUNK_SIZE];
    return (node && toNodeSpan(node, { ...row, state: 'cancelled', finished_at: now })) ?? [];
  });
}
