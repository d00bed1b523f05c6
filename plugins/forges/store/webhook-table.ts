import type { Page, Param, Queries } from '../../../kernel/contracts/index.ts';

export interface WebhookScope {
  org_id: string;
  project_id: string;
}

/** A webhook without what is sealed. Times are epoch milliseconds. */
export interface WebhookEntry extends WebhookScope {
  name: string;
  org: string;
  project: string;
  webhook_id: string;
  revision: string;
  forge: string;
  repo: string;
  api_base: string | null;
  credential: string | null;
  auto_register: number;
  /** What the forge calls it; null: it was not registered there, or that is under way. */
  hook_id: string | null;
  /** JSON: kind and file name of the workflow; null without one. */
  about: string | null;
  /** JSON: variable → name; null without any. */
  credentials: string | null;
  created_at: number;
  set_at: number;
  set_by: string | null;
}

export interface WebhookRow extends WebhookEntry {
  secret: Buffer;
  workflow: Buffer | null;
}

const KEPT = ['project_id', 'name', 'org_id', 'org', 'project', 'webhook_id', 'created_at'] as const;
const REPLACED = [
  'revision',
  'forge',
  'repo',
  'api_base',
  'credential',
  'auto_register',
  'hook_id',
  'about',
  'credentials',
  'set_at',
  'set_by',
] as const;
const SEALED = ['secret', 'workflow'] as const;
const SHOWN = [...KEPT, ...REPLACED].join(', ');
const EVERYTHING = [SHOWN, ...SEALED].join(', ');

/** False when there is one of that name. */
export async function insertWebhook(on: Queries, webhook: WebhookRow): Promise<boolean> {
  const columns = [...KEPT, ...REPLACED, ...SEALED];
  const made = await on.write(
    `${on.sql.insert_ignore} forges_webhooks (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    columns.map((column): Param => webhook[column]),
  );
  return made === 1;
}

/** False when `present` is not what stands there any more. */
export async function replaceWebhook(on: Queries, present: WebhookEntry, webhook: WebhookRow): Promise<boolean> {
  const columns = [...REPLACED, ...SEALED];
  const done = await on.write(
    `UPDATE forges_webhooks SET ${columns.map((column) => `${column} = ?`).join(', ')}
     WHERE project_id = ? AND org_id = ? AND name = ? AND revision = ?`,
    [
      ...columns.map((column): Param => webhook[column]),
      present.project_id,
      present.org_id,
      present.name,
      present.revision,
    ],
  );
  return done === 1;
}

/** Keeps what the forge calls it; false when it was replaced or removed meanwhile. */
export async function keepHookId(on: Queries, webhook: WebhookEntry, hook_id: string): Promise<boolean> {
  const { project_id, org_id, name, revision } = webhook;
  const done = await on.write(
    'UPDATE forges_webhooks SET hook_id = ? WHERE project_id = ? AND org_id = ? AND name = ? AND revision = ?',
    [hook_id, project_id, org_id, name, revision],
  );
  return done === 1;
}

/** False when it was replaced or removed meanwhile. */
export async function removeWebhook(on: Queries, webhook: WebhookEntry): Promise<boolean> {
  const { project_id, org_id, name, revision } = webhook;
  const removed = await on.write(
    'DELETE FROM forges_webhooks WHERE project_id = ? AND org_id = ? AND name = ? AND revision = ?',
    [project_id, org_id, name, revision],
  );
  return removed === 1;
}

export async function readWebhook(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: WebhookScope,
  name: string,
): Promise<WebhookRow | undefined> {
  const [row] = await on.read<WebhookRow>(
    `SELECT ${EVERYTHING} FROM forges_webhooks WHERE project_id = ? AND org_id = ? AND name = ?`,
    [project_id, org_id, name],
  );
  return row;
}

/** By what stands in its delivery URL; whatever project it is of. */
export async function findWebhook(
  on: Pick<Queries, 'read'>,
  webhook_id: string,
): Promise<Omit<WebhookRow, 'workflow'> | undefined> {
  const [row] = await on.read<Omit<WebhookRow, 'workflow'>>(
    `SELECT ${SHOWN}, secret FROM forges_webhooks WHERE webhook_id = ?`,
    [webhook_id],
  );
  return row;
}

/** One more than the limit, newest first. */
export function listWebhooks(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: WebhookScope,
  page: Page,
): Promise<WebhookEntry[]> {
  return on.read<WebhookEntry>(
    `SELECT ${SHOWN} FROM forges_webhooks WHERE project_id = ? AND org_id = ?
     ${page.before === undefined ? '' : 'AND webhook_id < ?'}
     ORDER BY webhook_id DESC LIMIT ${Math.trunc(page.limit) + 1}`,
    [project_id, org_id, ...(page.before === undefined ? [] : [page.before])],
  );
}

export async function countWebhooks(on: Pick<Queries, 'read'>, { org_id, project_id }: WebhookScope): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    'SELECT COUNT(*) AS n FROM forges_webhooks WHERE project_id = ? AND org_id = ?',
    [project_id, org_id],
  );
  return Number(row!.n);
}

/** Those of a project that name a credential anywhere, newest first. */
export function namingCredentials(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: WebhookScope,
): Promise<Pick<WebhookEntry, 'name' | 'credential' | 'credentials'>[]> {
  return on.read(
    `SELECT name, credential, credentials FROM forges_webhooks
     WHERE project_id = ? AND org_id = ? AND (credential IS NOT NULL OR credentials IS NOT NULL)
     ORDER BY webhook_id DESC`,
    [project_id, org_id],
  );
}
