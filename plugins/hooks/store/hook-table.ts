import type { Page, Queries } from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';

export interface HookRow extends ProjectScope {
  name: string;
  hook_id: string;
  mode: 'token' | 'manifest' | 'hmac';
  event_type: string | null;
  manifest: string | null;
  /** JSON of `HmacSettings`. */
  hmac: string | null;
  token_digest: string | null;
  /** Sealed. */
  signing_key: Buffer | null;
  owner: string;
  /** Epoch ms by the database's clock. */
  set_at: number;
  secret_at: number;
}

const COLUMNS = [
  'project_id',
  'name',
  'org_id',
  'hook_id',
  'mode',
  'event_type',
  'manifest',
  'hmac',
  'token_digest',
  'signing_key',
  'owner',
  'set_at',
  'secret_at',
] as const;
const ALL = COLUMNS.join(', ');
/** What a hook keeps for its life. */
const KEPT: readonly string[] = ['project_id', 'name', 'org_id', 'hook_id', 'owner'];
const CHANGED = COLUMNS.filter((column) => !KEPT.includes(column));

/** A hook by its name, locked until the transaction ends. */
export async function lockHook(tx: Queries, scope: ProjectScope, name: string): Promise<HookRow | undefined> {
  const [row] = await tx.read<HookRow>(
    `SELECT ${ALL} FROM hooks_hooks WHERE project_id = ? AND org_id = ? AND name = ? ${tx.sql.for_update}`,
    [scope.project_id, scope.org_id, name],
  );
  return row;
}

export async function readHook(on: Queries, scope: ProjectScope, name: string): Promise<HookRow | undefined> {
  const [row] = await on.read<HookRow>(
    `SELECT ${ALL} FROM hooks_hooks WHERE project_id = ? AND org_id = ? AND name = ?`,
    [scope.project_id, scope.org_id, name],
  );
  return row;
}

/** Whose address it is: of any project. */
export async function hookAt(on: Queries, hook_id: string): Promise<HookRow | undefined> {
  const [row] = await on.read<HookRow>(`SELECT ${ALL} FROM hooks_hooks WHERE hook_id = ?`, [hook_id]);
  return row;
}

/** False when somebody was first with the name. */
export async function insertHook(tx: Queries, row: HookRow): Promise<boolean> {
  const inserted = await tx.write(
    `${tx.sql.insert_ignore} hooks_hooks (${ALL}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
    COLUMNS.map((column) => row[column]),
  );
  return inserted === 1;
}

/** Writes all but what a hook keeps for its life. */
export async function updateHook(tx: Queries, row: HookRow): Promise<void> {
  await tx.write(`UPDATE hooks_hooks SET ${CHANGED.map((column) => `${column} = ?`).join(', ')} WHERE hook_id = ?`, [
    ...CHANGED.map((column) => row[column as (typeof COLUMNS)[number]]),
    row.hook_id,
  ]);
}

/** False when there was none. */
export async function removeHook(tx: Queries, hook_id: string): Promise<boolean> {
  return (await tx.write('DELETE FROM hooks_hooks WHERE hook_id = ?', [hook_id])) === 1;
}

/** One more than the limit, newest first. */
export function listHooks(on: Queries, scope: ProjectScope, page: Page): Promise<HookRow[]> {
  return on.read<HookRow>(
    `SELECT ${ALL} FROM hooks_hooks WHERE project_id = ? AND org_id = ?
     ${page.before === undefined ? '' : 'AND hook_id < ?'} ORDER BY hook_id DESC LIMIT ${Math.trunc(page.limit) + 1}`,
    [scope.project_id, scope.org_id, ...(page.before === undefined ? [] : [page.before])],
  );
}

export async function countHooks(on: Queries, scope: ProjectScope): Promise<number> {
  const [row] = await on.read<{ many: number }>(
    'SELECT COUNT(*) AS many FROM hooks_hooks WHERE project_id = ? AND org_id = ?',
    [scope.project_id, scope.org_id],
  );
  return Number(row!.many);
}
