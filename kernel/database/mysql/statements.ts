import type { Param } from '../../contracts/index.ts';
import { isTooManyPrepared } from './faults.ts';
import { execute, query, type RawConnection } from './pool.ts';

/** A statement that takes longer counts as lost; changes of the schema are not run through here. */
export const STATEMENT_MS = 30_000;
const LONGLONG = 8;

/** Runs one statement on a connection and answers rows or the header of a write. */
async function run(connection: RawConnection, sql: string, params: readonly Param[]) {
  try {
    return await execute(connection, sql, params, STATEMENT_MS);
  } catch (error) {
    if (!isTooManyPrepared(error)) throw error;
    return query(connection, sql, STATEMENT_MS, params);
  }
}

export async function readOn<R>(connection: RawConnection, sql: string, params: readonly Param[]): Promise<R[]> {
  const { result, columns } = await run(connection, sql, params);
  if (!Array.isArray(result)) throw new TypeError('a statement without rows was read; use `write`');
  refuseInexact(result, columns as { name: string; columnType: number }[]);
  return result as R[];
}

export async function writeOn(connection: RawConnection, sql: string, params: readonly Param[]): Promise<number> {
  const { result } = await run(connection, sql, params);
  const rows = (result as { affectedRows?: number }).affectedRows;
  if (rows === undefined) throw new TypeError('a statement with rows was written; use `read`');
  return rows;
}

/** The driver answers an integer beyond 2^53 as a string. SQLite refuses it, and so does this. */
function refuseInexact(
  rows: Record<string, unknown>[],
  columns: readonly { name: string; columnType: number }[],
): void {
  for (const { name, columnType } of columns) {
    if (columnType !== LONGLONG) continue;
    for (const row of rows)
      if (typeof row[name] === 'string') throw new RangeError(`the number in ${name} cannot be read exactly`);
  }
}
