import {
  inList,
  insertRows,
  type Param,
  chunks,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { type FlowScope, place } from './sealing.ts';
import { parseExact } from '../../schema/contract.ts';

/** Entries that are sealed, read and opened together. */
export const PART = 16;
/** `of_node` of the plan. */
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
  for (let part = 0; part * PART < list.length; part++) {
    const body = Buffer.from(JSON.stringify(list.slice(part * PART, (part + 1) * PART)));
    const at = place(scope, 'flows_lists', `${of_node}/${part}`, 'body');
    rows.push([scope.run_id, of_node, part, sealer.seal(at, body)]);
  }
  await insertRows(tx, 'INSERT INTO flows_lists', COLUMNS, rows);
}

/** The parts of a list that hold these entries, by number. */
export async function readParts<T>(
  on: Pick<Transaction, 'read'>,
  sealer: Sealer,
  scope: FlowScope,
  of_node: number,
  wanted: readonly number[],
): Promise<Map<number, T[]>> {
  const found = new Map<number, T[]>();
  for (const some of chunks(wanted)) {
    const list = inList(some.map(String));
    const rows = await on.read<{ part: number; body: Buffer }>(
      `SELECT part, body FROM flows_lists WHERE run_id = ? AND of_node = ? AND part IN ${list.marks}`,
      [scope.run_id, of_node, ...list.params.map(Number)],
    );
    for (const { part, body } of rows) {
      const at = place(scope, 'flows_lists', `${of_node}/${part}`, 'body');
      found.set(part, parseExact(sealer.open(at, body).toString()) as T[]);
    }
  }
  return found;
}
