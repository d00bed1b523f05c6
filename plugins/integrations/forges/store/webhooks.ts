import type { Queries } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import { WEBHOOK } from '../domain/webhook-rules.ts';
import { ForgeErrors } from '../errors.ts';
import { FILE_SET_MEMBER } from '../../../events/workflows/contract.ts';

/** A webhook without its sealed values. Times are epoch milliseconds. */
export interface WebhookEntry extends NamedRow {
  org: string;
  project: string;
  webhook_id: string;
  revision: string;
  forge: string;
  repo: string;
  api_base: string | null;
  credential: string | null;
  auto_register: number;
  /** The forge's id of the webhook; null when it is not registered there. */
  hook_id: string | null;
  /** The kind and file name of the workflow as JSON; null without a workflow. */
  about: string | null;
  /** The credentials by variable as JSON; null without any. */
  credentials: string | null;
  created_at: number;
  set_at: number;
  set_by: string | null;
  /** When the old secret expires, and when a delivery last used it. */
  old_until: number | null;
  old_used_at: number | null;
}

export interface WebhookRow extends WebhookEntry {
  secret: Buffer;
  /** From before a rotation, sealed as the present one. */
  old_secret: Buffer | null;
  workflow: Buffer | null;
}

const PRESERVED = ['org', 'project', 'created_at'] as const;
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
  'old_until',
  'old_used_at',
] as const;

/** A write that depends on what was read names its `revision`. */
export const webhooks = new NamedTable<WebhookRow, WebhookEntry>({
  ...WEBHOOK,
  table: 'forges_webhooks',
  id: 'webhook_id',
  preserved: PRESERVED,
  replaced: [...REPLACED, 'secret', 'old_secret', 'workflow'],
  listed: ['project_id', 'name', 'org_id', 'webhook_id', ...PRESERVED, ...REPLACED],
  max: { count: 1000, full: ForgeErrors.webhooksFull },
});

/** Finds a webhook by the id in its delivery URL, without its workflow, which is large. */
export async function findWebhook(
  on: Pick<Queries, 'read'>,
  webhook_id: string,
): Promise<Omit<WebhookRow, 'workflow'> | undefined> {
  const [row] = await on.read<Omit<WebhookRow, 'workflow'>>(
    `SELECT ${webhooks.listed}, secret, old_secret FROM forges_webhooks WHERE webhook_id = ?`,
    [webhook_id],
  );
  return row;
}

/** Replaces the secrets of a webhook. Returns false when they have changed since they were read. */
export async function replaceSecrets(
  on: Pick<Queries, 'write'>,
  present: WebhookRow,
  next: Pick<WebhookRow, 'secret' | 'old_secret' | 'old_until' | 'hook_id'>,
): Promise<boolean> {
  const replaced = await on.write(
    `UPDATE forges_webhooks SET secret = ?, old_secret = ?, old_until = ?, old_used_at = NULL, hook_id = ?
     WHERE project_id = ? AND name = ? AND revision = ? AND (secret = ? OR secret = ?)`,
    [
      next.secret,
      next.old_secret,
      next.old_until,
      next.hook_id,
      // The second is ours when the answer to the commit was lost.
      present.project_id,
      present.name,
      present.revision,
      present.secret,
      next.secret,
    ],
  );
  return replaced === 1;
}

/** Notes that a delivery showed the old secret, unless one did so after `since`. */
export async function recordOldSecretUse(
  on: Pick<Queries, 'write'>,
  { webhook_id, old_until }: Pick<WebhookEntry, 'webhook_id' | 'old_until'>,
  now: number,
  since: number,
): Promise<void> {
  await on.write(
    `UPDATE forges_webhooks SET old_used_at = ?
     WHERE webhook_id = ? AND old_until = ? AND (old_used_at IS NULL OR old_used_at < ?)`,
    [now, webhook_id, old_until, since],
  );
}

/** Webhooks of a project that name a credential anywhere, newest first. */
export function listNamingCredentials(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
): Promise<Pick<WebhookEntry, 'name' | 'credential' | 'credentials'>[]> {
  return on.read(
    `SELECT name, credential, credentials FROM forges_webhooks
     WHERE project_id = ? AND org_id = ? AND (credential IS NOT NULL OR credentials IS NOT NULL)
     ORDER BY webhook_id DESC`,
    [project_id, org_id],
  );
}

/** Returns the sealed workflows of these webhooks; those without one are left out. */
export function readWorkflows(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<(Pick<WebhookRow, 'org_id' | 'project_id' | 'name' | 'webhook_id' | 'revision'> & { workflow: Buffer })[]> {
  return on.read(
    `SELECT org_id, project_id, name, webhook_id, revision, workflow FROM forges_webhooks
     WHERE project_id = ? AND org_id = ? AND workflow IS NOT NULL AND name IN (${names.map(() => '?').join(', ')})`,
    [project_id, org_id, ...names],
  );
}

/** Finds the newest webhook of a repository. */
export async function findByRepo(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  repo: string,
): Promise<Pick<WebhookEntry, 'forge' | 'api_base'> | undefined> {
  // Repositories are compared here, because their names are texts of callers.
  const rows = await on.read<Pick<WebhookEntry, 'forge' | 'api_base' | 'repo'>>(
    'SELECT forge, api_base, repo FROM forges_webhooks WHERE project_id = ? AND org_id = ? ORDER BY webhook_id DESC',
    [project_id, org_id],
  );
  return rows.find((row) => row.repo === repo);
}

/** Lists the webhooks of a project whose workflow includes files: all, or the one with a name. */
export const listNamingFiles = (
  on: Pick<Queries, 'read'>,
  project_id: string,
  only?: string,
): Promise<{ about: string }[]> =>
  on.read(
    `SELECT about FROM forges_webhooks WHERE project_id = ? ${only === undefined ? '' : 'AND name = ?'} AND INSTR(about, ?) > 0`,
    [project_id, ...(only === undefined ? [] : [only]), FILE_SET_MEMBER],
  );
