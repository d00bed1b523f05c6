import {
  insertRows,
  type Page,
  type Queries,
  type Scope,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';

type ProjectScope = Pick<Scope, 'org_id' | 'project_id'>;

export interface AppliedRow {
  mark_id: string;
  kind: string;
  name: string;
  applied_at: number;
  applied_by: string | null;
}

const COLUMNS = ['project_id', 'kind', 'name', 'org_id', 'mark_id', 'applied_at', 'applied_by'];

/** Reads a page and one row more, newest first. */
export const listApplied = (
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  { before, limit }: Page,
): Promise<AppliedRow[]> =>
  on.read<AppliedRow>(
    `SELECT mark_id, kind, name, applied_at, applied_by FROM apply_marks
     WHERE project_id = ? AND org_id = ? ${before === undefined ? '' : 'AND mark_id < ?'}
     ORDER BY mark_id DESC LIMIT ${Math.trunc(limit) + 1}`,
    [project_id, org_id, ...(before === undefined ? [] : [before])],
  );

/** Removes names of a kind. Returns those that were there. */
export async function removeApplied(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  kind: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const where = `project_id = ? AND kind = ? AND org_id = ? AND name IN (${names.map(() => '?').join(', ')})`;
  const params = [project_id, kind, org_id, ...names];
  const rows = await tx.read<{ name: string }>(`SELECT name FROM apply_marks WHERE ${where}`, params);
  await tx.write(`DELETE FROM apply_marks WHERE ${where}`, params);
  return rows.map(({ name }) => name);
}

/** Adds rows of a kind. Those of another request that came first stay. */
export async function insertApplied(
  tx: Transaction,
  { org_id, project_id }: ProjectScope,
  rows: readonly AppliedRow[],
): Promise<void> {
  const values = rows.map((row) => [
    project_id,
    row.kind,
    row.name,
    org_id,
    row.mark_id,
    row.applied_at,
    row.applied_by,
  ]);
  if (values.length > 0) await insertRows(tx, `${tx.sql.insert_ignore} apply_marks`, COLUMNS, values);
}

export async function countApplied(on: Pick<Queries, 'read'>, { project_id }: ProjectScope): Promise<number> {
  const [counted] = await on.read<{ count: number }>('SELECT COUNT(*) AS count FROM apply_marks WHERE project_id = ?', [
    project_id,
  ]);
  return Number(counted?.count ?? 0);
}
