import {
  inList,
  insertRows,
  type Param,
  chunks,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { type FlowScope, sealContext } from './sealing.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

/** Entries that are sealed, read and opened together. */
export const CHUNK_SIZE = 16;
/** The value of `of_node` for the plan itself. */
export const PLAN = -1;

const COLUMNS = ['run_id', 'of_node', 'part', 'body'];

/** Stores a list that never changes so that single entries can be read. */
export async function insertList(
  tx: Transaction,
  sealer: Sealer,
  scope: FlowScope,
  of_node: number,
  list: readonly unknown[],
): Promise<void> {
  const rows: Param[][] = [];
  for (let chunk_number = 0; chunk_number * CHUNK_SIZE < list.length; chunk_number++) {
    const body = Buffer.from(JSON.stringify(list.slice(chunk_number * CHUNK_SIZE, (chunk_number + 1) * CHUNK_SIZE)));
    const at = sealContext(scope, 'flows_lists', `${of_node}/${chunk_number}`, 'body');
    rows.push([scope.run_id, of_node, chunk_number, sealer.seal(at, body)]);
  }
  await insertRows(tx, 'INSERT INTO flows_lists', COLUMNS, rows);
}

/** Reads the chunks of a list with these numbers. */
export async function readChunks<T>(
  on: Pick<Transaction, 'read'>,
  sealer: Sealer,
  scope: FlowScope,
  of_node: number,
  numbers: readonly number[],
): Promise<Map<number, T[]>> {
  const result = new Map<number, T[]>();
  for (const batch of chunks(numbers)) {
    const list = inList(batch.map(String));
    const rows = await on.read<{ part: number; body: Buffer }>(
      `SELECT part, body FROM flows_lists WHERE run_id = ? AND of_node = ? AND part IN ${list.placeholders}`,
      [scope.run_id, of_node, ...list.params.map(Number)],
    );
    for (const { part, body } of rows) {
      const at = sealContext(scope, 'flows_lists', `${of_node}/${part}`, 'body');
      result.set(part, parseExact(sealer.open(at, body).toString()) as T[]);
    }
  }
  return result;
}
