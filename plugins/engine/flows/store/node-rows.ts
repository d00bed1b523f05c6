import {
  inKeys,
  insertRows,
  type Param,
  chunks,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import type { NodeRow } from '../domain/decide.ts';
import { outputTooLarge } from '../errors.ts';
import { type FlowScope, sealContext } from './sealing.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

/** A row with its own output; otherwise the output is the activity's. */
export interface StoredNode extends NodeRow {
  /** Sealed; plain JSON until the row is stored (`encodeOutput`). */
  output: Buffer | null;
}

const STATE =
  `state open_needs met_needs attempt activity_id timer_id total begun ended failed outcome output error_code
  error_message started_at finished_at`.split(/\s+/);
const COLUMNS = ['run_id', 'n', 'item', ...STATE];
const KEY = ['run_id', 'n', 'item'];
const READ = `SELECT n, item, state, open_needs AS open, met_needs AS met, attempt, activity_id, timer_id, total, begun,
  ended, failed, outcome, output, error_code, error_message, started_at, finished_at FROM flows_nodes`;

/** Characters of the error of a node that lists show. */
export const LISTED_ERROR_LENGTH = 2000;
/** The columns for lists, with the size of the output in place of the output. */
const READ_LISTED = READ.replace('output,', 'NULL AS output, LENGTH(output) AS output_bytes,').replace(
  'error_message',
  `SUBSTR(error_message, 1, ${LISTED_ERROR_LENGTH}) AS error_message`,
);

/** A row of a list, without its output. */
export interface ListedNode extends StoredNode {
  /** About the size of the output, sealed or plain; null when the activity has the output, or there is none. */
  output_bytes: number | null;
}

type Row<Node extends StoredNode = StoredNode> = Omit<Node, 'outcome'> & { outcome: string };
const toNode = <Node extends StoredNode>(row: Row<Node>): Node =>
  ({ ...row, outcome: parseExact(row.outcome) as Json }) as unknown as Node;

type Keys = readonly { n: number; item: number }[];

export const readNodes = (on: Pick<Transaction, 'read'>, run_id: string, keys: Keys): Promise<StoredNode[]> =>
  selectNodes(on, READ, run_id, keys);

/** Reads the same rows for a list. */
export const listNodes = (on: Pick<Transaction, 'read'>, run_id: string, keys: Keys): Promise<ListedNode[]> =>
  selectNodes(on, READ_LISTED, run_id, keys);

async function selectNodes<Node extends StoredNode>(
  on: Pick<Transaction, 'read'>,
  read: string,
  run_id: string,
  keys: Keys,
): Promise<Node[]> {
  const nodes: Node[] = [];
  for (const batch of chunks(keys)) {
    const { condition, params } = inKeys(
      ['run_id', 'n', 'item'],
      batch.map(({ n, item }) => ({ run_id, n, item })),
    );
    nodes.push(...(await on.read<Row<Node>>(`${read} WHERE ${condition}`, params)).map((row) => toNode<Node>(row)));
  }
  return nodes;
}

/** Rows of a node's items after one, in order, as lists show them. */
export async function listItems(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  n: number,
  after: number,
  limit: number,
): Promise<ListedNode[]> {
  const rows = await on.read<Row<ListedNode>>(`${READ_LISTED} ${itemsAfter(limit)}`, [run_id, n, after]);
  return rows.map((row) => toNode<ListedNode>(row));
}

const itemsAfter = (limit: number): string =>
  `WHERE run_id = ? AND n = ? AND item > ? ORDER BY item LIMIT ${Math.trunc(limit)}`;

const OPEN_ITEMS = `WHERE run_id = ? AND state IN ('running', 'backoff') AND n = ? AND item >= 0 ORDER BY item`;

/** Rows of a node's items in progress. */
export async function readOpenItems(on: Pick<Transaction, 'read'>, run_id: string, n: number): Promise<StoredNode[]> {
  const rows = await on.read<Row>(`${READ} ${OPEN_ITEMS}`, [run_id, n]);
  return rows.map((row) => toNode(row));
}

/** Reads the same rows for a list. */
export async function listOpenItems(on: Pick<Transaction, 'read'>, run_id: string, n: number): Promise<ListedNode[]> {
  const rows = await on.read<Row<ListedNode>>(`${READ_LISTED} ${OPEN_ITEMS}`, [run_id, n]);
  return rows.map((row) => toNode<ListedNode>(row));
}

/** Rows of nodes in progress after one, in plan order, as lists show them. Items are not among them. */
export async function listOpen(
  on: Pick<Transaction, 'read'>,
  run_id: string,
  after: number,
  limit: number,
): Promise<ListedNode[]> {
  const rows = await on.read<Row<ListedNode>>(
    `${READ_LISTED} WHERE run_id = ? AND state IN ('running', 'backoff') AND n > ? AND item = -1 ORDER BY n
     LIMIT ${Math.trunc(limit)}`,
    [run_id, after],
  );
  return rows.map((row) => toNode<ListedNode>(row));
}

/** Inserts and replaces complete rows, and seals their outputs. */
export async function writeNodes(
  tx: Transaction,
  sealer: Sealer,
  scope: FlowScope,
  rows: readonly StoredNode[],
): Promise<void> {
  const values = rows.map((row): Param[] => [
    scope.run_id,
    row.n,
    row.item,
    row.state,
    row.open,
    row.met,
    row.attempt,
    row.activity_id,
    row.timer_id,
    row.total,
    row.begun,
    row.ended,
    row.failed,
    JSON.stringify(row.outcome ?? null),
    sealedOutput(sealer, scope, row),
    row.error_code,
    row.error_message,
    row.started_at,
    row.finished_at,
  ]);
  await insertRows(tx, 'INSERT INTO flows_nodes', COLUMNS, values, tx.sql.upsert(KEY, STATE));
}

const outputContext = (scope: FlowScope, { n, item }: { n: number; item: number }) =>
  sealContext(scope, 'flows_nodes', `${n}/${item}`, 'output');

/** Maximum bytes of a node's output as JSON; an activity may have as many. */
export const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Outputs that are not sealed. */
const unsealed = new WeakSet<Buffer>();

export function asUnsealed(output: Buffer): Buffer {
  unsealed.add(output);
  return output;
}

/** Returns an output as JSON, for a row that is not stored yet. Throws `flow_output_too_large`. */
export function encodeOutput(output: Json): Buffer {
  const bytes = Buffer.from(JSON.stringify(output ?? null));
  if (bytes.length > MAX_OUTPUT_BYTES)
    throw outputTooLarge(`the output is ${bytes.length} bytes of JSON; at most ${MAX_OUTPUT_BYTES} are allowed`);
  return asUnsealed(bytes);
}

/** Returns the output of a row that is not stored yet. */
export function unsealedOutput({ n, item, output }: StoredNode): Buffer | null {
  if (output !== null && !unsealed.has(output)) throw new Error(`the output of ${n}/${item} is sealed`);
  return output;
}

const sealedOutput = (sealer: Sealer, scope: FlowScope, row: StoredNode): Buffer | null =>
  row.output !== null && unsealed.has(row.output) ? sealer.seal(outputContext(scope, row), row.output) : row.output;

export const openOutput = (sealer: Sealer, scope: FlowScope, row: StoredNode): Json => {
  const output = row.output!;
  return parseExact(
    (unsealed.has(output) ? output : sealer.open(outputContext(scope, row), output)).toString(),
  ) as Json;
};
