import type { Sealer, Transaction } from '../../../kernel/contracts/index.ts';
import type { NodeSpan } from '../../runs/contract.ts';
import { nameOf } from '../domain/attempts.ts';
import { WHOLE } from '../domain/decide.ts';
import type { PlannedNode } from '../domain/plan.ts';
import { PART, PLAN, readParts } from '../store/lists.ts';
import { listOpen, readOpenItems, type StoredNode } from '../store/node-rows.ts';
import type { FlowScope } from '../store/sealing.ts';

/** Nodes of a run that ends before they do; of a run with more the spans of the others are missing. */
const MAX_OPEN = 500;

/** A node or an item for the run's trace; undefined for what has done nothing in this run. */
export function nodeSpanOf(node: PlannedNode, row: StoredNode): NodeSpan | undefined {
  const { state, attempt, started_at, finished_at, error_code } = row;
  if (finished_at === null || state === 'skipped' || node.kept !== undefined) return undefined;
  const of = row.item === WHOLE ? undefined : node.id;
  return {
    name: nameOf(node, row),
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
  const whole = await listOpen(tx, run.run_id, -1, MAX_OPEN);
  const rows: StoredNode[] = [...whole];
  for (const { n, total } of whole) if (total !== null) rows.push(...(await readOpenItems(tx, run.run_id, n)));
  const wanted = [...new Set(rows.map(({ n }) => Math.floor(n / PART)))];
  const parts = await readParts<PlannedNode>(tx, sealer, run, PLAN, wanted);
  return rows.flatMap((row) => {
    const node = parts.get(Math.floor(row.n / PART))?.[row.n % PART];
    return (node && nodeSpanOf(node, { ...row, state: 'cancelled', finished_at: now })) ?? [];
  });
}
