import {
  inKeys,
  insertRows,
  type Param,
  chunks,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import type { NodeRow } from '../domain/decide.ts';
import { outputTooLarge } from '../errors.ts';
import { type FlowScope, place } from './sealing.ts';
import { parseExact } from '../../schema/contract.ts';

/** A row with its own output; otherwise the output is the activity's. */
export interface StoredNode extends NodeRow {
  /** Sealed. */
  output: Buffer | null;
}

const STATE =
  `state open_needs met_needs attempt activity_id timer_id total begun ended failed outcome output error_code
  error_message started_at finished_at`.split(/\s+/);
const COLUMNS = ['run_id', 'n', 'item', ...STATE];
const KEY = ['run_id', 'n', 'item'];
const READ = `SELECT n, item, state, open_needs AS open, met_needs AS met, attempt, activity_id, timer_id, total, begun,
  ended, failed, outcome, output, error_code, error_message, started_at, finished_at FROM flows_nodes`;

type Row = Omit<StoredNode, 'outcome'> & { outcome: string };
const opened = (row: Row): StoredNode => ({ ...row, outcome: parseExact(row.outcome) as Json });

export async function readNodes(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  keys: readonly { n: number; item: number }[],
): Promise<StoredNode[]> {
  const found: StoredNode[] = [];
  for (const some of chunks(keys)) {
    const { condition, params } = inKeys(
      ['run_id', 'n', 'item'],
      some.map(({ n, item }) => ({ run_id, n, item })),
    );
    found.push(...(await on.read<Row>(`${READ} WHERE ${condition}`, params)).map(opened));
  }
  return found;
}

/** Rows of a node's items after one, in order. */
export async function readItems(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  n: number,
  after: number,
  limit: number,
): Promise<StoredNode[]> {
  const rows = await on.read<Row>(
    `${READ} WHERE run_id = ? AND n = ? AND item > ? ORDER BY item LIMIT ${Math.trunc(limit)}`,
    [run_id, n, after],
  );
  return rows.map(opened);
}

/** Rows of a node's items in progress. */
export async function readOpenItems(on: Pick<Transaction, 'read'>, run_id: string, n: number): Promise<StoredNode[]> {
  const rows = await on.read<Row>(
    `${READ} WHERE run_id = ? AND state IN ('running', 'backoff') AND n = ? AND item >= 0 ORDER BY item`,
    [run_id, n],
  );
  return rows.map(opened);
}

/** Rows of nodes in progress after one, in plan order. Items are not among them. */
export async function readOpen(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  after: number,
  limit: number,
): Promise<StoredNode[]> {
  const rows = await on.read<Row>(
    `${READ} WHERE run_id = ? AND state IN ('running', 'backoff') AND n > ? AND item = -1 ORDER BY n
     LIMIT ${Math.trunc(limit)}`,
    [run_id, after],
  );
  return rows.map(opened);
}

/** Inserts and replaces complete rows. */
export async function writeNodes(tx: Transaction, run_id: string, rows: readonly StoredNode[]): Promise<void> {
  const values = rows.map((row): Param[] => [
    ...[run_id, row.n, row.item, row.state, row.open, row.met, row.attempt, row.activity_id, row.timer_id, row.total],
    ...[row.begun, row.ended, row.failed, JSON.stringify(row.outcome ?? null), row.output],
    ...[row.error_code, row.error_message, row.started_at, row.finished_at],
  ]);
  await insertRows(tx, 'INSERT INTO flows_nodes', COLUMNS, values, tx.sql.upsert(KEY, STATE));
}

const outputPlace = (scope: FlowScope, { n, item }: { n: number; item: number }) =>
  place(scope, 'flows_nodes', `${n}/${item}`, 'output');

/** Maximum bytes of a node's output as JSON; an activity may have as many. */
export const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Throws `flow_output_too_large`. */
export function sealOutput(sealer: Sealer, scope: FlowScope, at: { n: number; item: number }, output: Json): Buffer {
  const bytes = Buffer.from(JSON.stringify(output ?? null));
  if (bytes.length > MAX_OUTPUT_BYTES)
    throw outputTooLarge(`the output has ${bytes.length} bytes of JSON; at most ${MAX_OUTPUT_BYTES} are kept`);
  return sealer.seal(outputPlace(scope, at), bytes);
}

export const openOutput = (sealer: Sealer, scope: FlowScope, row: StoredNode): Json =>
  parseExact(sealer.open(outputPlace(scope, row), row.output!).toString()) as Json;
