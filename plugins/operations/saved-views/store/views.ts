import { type Page, pageOf, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';

type Reads = Pick<Queries, 'read'>;

/** The owner of the views that everyone in the project sees. */
export const OF_PROJECT = '';

export interface ViewRow extends ProjectScope {
  /** A user, or `OF_PROJECT`. */
  owner_id: string;
  name: string;
  view_id: string;
  created_at: number;
  updated_at: number;
  /** The name of the user or token; null: the operator. */
  updated_by: string | null;
  /** JSON. */
  filter: string;
}

const COLUMNS = 'project_id, owner_id, name, org_id, view_id, created_at, updated_at, updated_by, filter';
const VISIBLE = 'project_id = ? AND org_id = ? AND owner_id IN (?, ?)';
const NAMED = 'project_id = ? AND org_id = ? AND owner_id = ? AND name = ?';

type Key = Pick<ViewRow, 'project_id' | 'org_id' | 'owner_id' | 'name'>;

const keyOf = ({ project_id, org_id, owner_id, name }: Key) => [project_id, org_id, owner_id, name];

/** Returns the view that a name stands for: the reader's own one hides the one of the project. */
export async function findView(
  on: Reads,
  { project_id, org_id }: ProjectScope,
  reader: string,
  name: string,
): Promise<ViewRow | undefined> {
  const [row] = await on.read<ViewRow>(
    `SELECT ${COLUMNS} FROM saved_views_views WHERE ${VISIBLE} AND name = ? ORDER BY owner_id DESC LIMIT 1`,
    [project_id, org_id, OF_PROJECT, reader, name],
  );
  return row;
}

/** Reads a page of the views that a reader sees, newest first. */
export async function pageOfViews(
  on: Reads,
  { project_id, org_id }: ProjectScope,
  reader: string,
  { before, limit }: Page,
): Promise<{ items: ViewRow[]; next_cursor?: string }> {
  const rows = await on.read<ViewRow>(
    `SELECT ${COLUMNS} FROM saved_views_views WHERE ${VISIBLE} ${before === undefined ? '' : 'AND view_id < ?'}
     ORDER BY view_id DESC LIMIT ${Math.trunc(limit) + 1}`,
    [project_id, org_id, OF_PROJECT, reader, ...(before === undefined ? [] : [before])],
  );
  return pageOf(rows, limit, ({ view_id }) => view_id);
}

/** Returns the names that a reader sees. The limits of a project and of a member bound them. */
export async function visibleNames(
  on: Reads,
  { project_id, org_id }: ProjectScope,
  reader: string,
  limit: number,
): Promise<string[]> {
  const rows = await on.read<{ name: string }>(
    `SELECT DISTINCT name FROM saved_views_views WHERE ${VISIBLE} ORDER BY name LIMIT ${Math.trunc(limit)}`,
    [project_id, org_id, OF_PROJECT, reader],
  );
  return rows.map(({ name }) => name);
}

/** Replaces the filter of a view. Returns false when there is none. */
export async function replaceView(tx: Transaction, row: ViewRow): Promise<boolean> {
  const updated = await tx.write(
    `UPDATE saved_views_views SET filter = ?, updated_at = ?, updated_by = ? WHERE ${NAMED}`,
    [row.filter, row.updated_at, row.updated_by, ...keyOf(row)],
  );
  return updated === 1;
}

/** Returns false when another request has just made the view. */
export async function insertView(tx: Transaction, row: ViewRow): Promise<boolean> {
  const inserted = await tx.write(
    `${tx.sql.insert_ignore} saved_views_views (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[row.project_id, row.owner_id, row.name, row.org_id, row.view_id],
      ...[row.created_at, row.updated_at, row.updated_by, row.filter],
    ],
  );
  return inserted === 1;
}

export async function readView(on: Reads, key: Key): Promise<ViewRow | undefined> {
  const [row] = await on.read<ViewRow>(`SELECT ${COLUMNS} FROM saved_views_views WHERE ${NAMED}`, keyOf(key));
  return row;
}

export async function countViews(on: Reads, { project_id, owner_id }: ViewRow): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    'SELECT COUNT(*) AS n FROM saved_views_views WHERE project_id = ? AND owner_id = ?',
    [project_id, owner_id],
  );
  return Number(row!.n);
}

/** Returns false when there was none. */
export const removeView = async (tx: Transaction, key: Key): Promise<boolean> =>
  (await tx.write(`DELETE FROM saved_views_views WHERE ${NAMED}`, keyOf(key))) === 1;

/** Removes the private views of a user who has left a project, or an org with all its projects. */
export async function removeViewsOf(
  tx: Transaction,
  { user_id, org_id, project_id }: { user_id: string; org_id: string; project_id: string | null },
): Promise<void> {
  const in_project = project_id === null ? '' : 'AND project_id = ?';
  await tx.write(`DELETE FROM saved_views_views WHERE owner_id = ? AND org_id = ? ${in_project}`, [
    user_id,
    org_id,
    ...(project_id === null ? [] : [project_id]),
  ]);
}
