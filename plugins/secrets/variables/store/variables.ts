import { Errors, type Page, pageOf, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';

type Reads = Pick<Queries, 'read'>;

/** A project or an org. An org's variables are those of all its projects that do not have their own. */
export interface Owner {
  /** The id of the project or of the org. */
  owner_id: string;
  org_id: string;
}

export interface VariableRow extends Owner {
  name: string;
  /** Lists are ordered by it. It stays when the value is set again. */
  variable_id: string;
  /** The revision of the owner in which the value was set. */
  set_in: number;
  value_bytes: number;
  /** Epoch ms by the database's clock. */
  created_at: number;
  updated_at: number;
  /** The name of the user or token; null: the operator. */
  updated_by: string | null;
  value: string;
}

const COLUMNS = 'owner_id, name, org_id, variable_id, set_in, value_bytes, created_at, updated_at, updated_by, value';

export async function findVariable(on: Reads, owner_id: string, name: string): Promise<VariableRow | undefined> {
  const [row] = await on.read<VariableRow>(
    `SELECT ${COLUMNS} FROM variables_variables WHERE owner_id = ? AND name = ?`,
    [owner_id, name],
  );
  return row;
}

/** Reads a page of the variables of an owner, newest first. With a fallback, also of those that only the fallback has. */
export async function pageOfVariables(
  on: Reads,
  { owner_id, fallback }: { owner_id: string; fallback?: string },
  { before, limit }: Page,
): Promise<{ items: VariableRow[]; next_cursor?: string }> {
  const older = before === undefined ? '' : 'AND v.variable_id < ?';
  const cursor = before === undefined ? [] : [before];
  const direct = `SELECT v.* FROM variables_variables v WHERE v.owner_id = ? ${older}`;
  const inherited = `SELECT v.* FROM variables_variables v WHERE v.owner_id = ? ${older} AND NOT EXISTS (
      SELECT 1 FROM variables_variables o WHERE o.owner_id = ? AND o.name = v.name)`;
  const rows = await on.read<VariableRow>(
    `SELECT ${COLUMNS} FROM (${fallback === undefined ? direct : `${direct} UNION ALL ${inherited}`}) listed
     ORDER BY variable_id DESC LIMIT ${Math.trunc(limit) + 1}`,
    [owner_id, ...cursor, ...(fallback === undefined ? [] : [fallback, ...cursor, owner_id])],
  );
  return pageOf(rows, limit, ({ variable_id }) => variable_id);
}

/** Returns the names that a project and its org have, sorted. */
export async function namesOf(on: Reads, owner_ids: readonly [string, string]): Promise<string[]> {
  const rows = await on.read<{ name: string }>(
    'SELECT DISTINCT name FROM variables_variables WHERE owner_id IN (?, ?) ORDER BY name',
    owner_ids,
  );
  return rows.map(({ name }) => name);
}

/** Locks an owner until the transaction ends, and returns its revision: 0 before its first variable. */
export async function lockOwner(tx: Transaction, { owner_id, org_id }: Owner): Promise<number> {
  await tx.write(`${tx.sql.insert_ignore} variables_owners (owner_id, org_id, revision) VALUES (?, ?, 0)`, [
    owner_id,
    org_id,
  ]);
  const [row] = await tx.lock<{ revision: number }>({
    table: 'variables_owners',
    key: ['owner_id'],
    columns: 'owner_id, revision',
    where: 'owner_id = ?',
    params: [owner_id],
  });
  if (!row) throw Errors.unavailable('the variables were just changed', { retryAfterMs: 100 });
  return Number(row.revision);
}

export const writeRevision = (tx: Transaction, { owner_id }: Owner, revision: number): Promise<number> =>
  tx.write('UPDATE variables_owners SET revision = ? WHERE owner_id = ?', [revision, owner_id]);

export const insertVariable = (tx: Transaction, row: VariableRow): Promise<number> =>
  tx.write(`INSERT INTO variables_variables (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, [
    row.owner_id,
    row.name,
    row.org_id,
    row.variable_id,
    row.set_in,
    row.value_bytes,
    row.created_at,
    row.updated_at,
    row.updated_by,
    row.value,
  ]);

type Update = Pick<VariableRow, 'owner_id' | 'name' | 'set_in' | 'value_bytes' | 'updated_at' | 'updated_by' | 'value'>;

export const updateVariable = (tx: Transaction, row: Update): Promise<number> =>
  tx.write(
    `UPDATE variables_variables SET set_in = ?, value_bytes = ?, updated_at = ?, updated_by = ?, value = ?
     WHERE owner_id = ? AND name = ?`,
    [row.set_in, row.value_bytes, row.updated_at, row.updated_by, row.value, row.owner_id, row.name],
  );

export const deleteVariable = (tx: Transaction, { owner_id }: Owner, name: string): Promise<number> =>
  tx.write('DELETE FROM variables_variables WHERE owner_id = ? AND name = ?', [owner_id, name]);

/** Stores the value that a variable has for the runs of earlier revisions. */
export const insertReplaced = (
  tx: Transaction,
  { owner_id, name, set_in, org_id, value }: VariableRow,
  { replaced_in, replaced_at }: { replaced_in: number; replaced_at: number },
): Promise<number> =>
  tx.write(
    `INSERT INTO variables_replaced (owner_id, name, set_in, replaced_in, org_id, replaced_at, value)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [owner_id, name, set_in, replaced_in, org_id, replaced_at, value],
  );

/** Returns how many variables an owner has, and the bytes of their values. */
export async function sizeOf(on: Queries, { owner_id }: Owner): Promise<{ count: number; bytes: number }> {
  const [row] = await on.read<{ many: number; bytes: number | string | null }>(
    'SELECT COUNT(*) AS many, SUM(value_bytes) AS bytes FROM variables_variables WHERE owner_id = ?',
    [owner_id],
  );
  // MySQL answers a sum as a decimal, which is a text.
  return { count: Number(row!.many), bytes: Number(row!.bytes ?? 0) };
}
