import type { Page, Queries } from '../../../kernel/contracts/index.ts';
import type { SecretEntry, SecretScope } from '../contract.ts';

export interface SecretRow extends SecretEntry {
  /** Sealed. */
  value: Buffer;
}

export interface NewSecret extends SecretRow, SecretScope {
  value_bytes: number;
}

/** Replaces the value of a secret that is there; false when it is not. */
export async function replaceSecret(on: Queries, secret: NewSecret): Promise<boolean> {
  const replaced = await on.write(
    'UPDATE secrets_secrets SET value = ?, value_bytes = ?, set_at = ? WHERE project_id = ? AND org_id = ? AND name = ?',
    [secret.value, secret.value_bytes, secret.set_at, secret.project_id, secret.org_id, secret.name],
  );
  return replaced === 1;
}

/** False when somebody was first with the name. */
export async function insertSecret(on: Queries, secret: NewSecret): Promise<boolean> {
  const inserted = await on.write(
    `${on.sql.insert_ignore} secrets_secrets (project_id, name, org_id, secret_id, value, value_bytes, set_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [secret.project_id, secret.name, secret.org_id, secret.secret_id, secret.value, secret.value_bytes, secret.set_at],
  );
  return inserted === 1;
}

export async function readSecret(on: Queries, scope: SecretScope, name: string): Promise<SecretRow | undefined> {
  const [row] = await on.read<SecretRow>(
    'SELECT secret_id, name, value, set_at FROM secrets_secrets WHERE project_id = ? AND org_id = ? AND name = ?',
    [scope.project_id, scope.org_id, name],
  );
  return row;
}

/** False when there was none. */
export async function removeSecret(on: Queries, scope: SecretScope, name: string): Promise<boolean> {
  const removed = await on.write('DELETE FROM secrets_secrets WHERE project_id = ? AND org_id = ? AND name = ?', [
    scope.project_id,
    scope.org_id,
    name,
  ]);
  return removed === 1;
}

/** One more than the limit, newest first; without values. */
export function listSecrets(on: Queries, scope: SecretScope, page: Page): Promise<SecretEntry[]> {
  return on.read<SecretEntry>(
    `SELECT secret_id, name, set_at FROM secrets_secrets WHERE project_id = ? AND org_id = ?
     ${page.before === undefined ? '' : 'AND secret_id < ?'} ORDER BY secret_id DESC LIMIT ${Math.trunc(page.limit) + 1}`,
    [scope.project_id, scope.org_id, ...(page.before === undefined ? [] : [page.before])],
  );
}

/** All of a project, sealed, in order of their names. */
export function sealedSecrets(on: Pick<Queries, 'read'>, scope: SecretScope): Promise<SecretRow[]> {
  return on.read<SecretRow>(
    'SELECT secret_id, name, value, set_at FROM secrets_secrets WHERE project_id = ? AND org_id = ? ORDER BY name',
    [scope.project_id, scope.org_id],
  );
}

/** How many secrets a project has, and their bytes in all. */
export async function sizeOf(on: Queries, scope: SecretScope): Promise<{ count: number; bytes: number }> {
  const [row] = await on.read<{ many: number; bytes: number | string | null }>(
    'SELECT COUNT(*) AS many, SUM(value_bytes) AS bytes FROM secrets_secrets WHERE project_id = ? AND org_id = ?',
    [scope.project_id, scope.org_id],
  );
  // MySQL answers a sum as a decimal, which is a text.
  return { count: Number(row!.many), bytes: Number(row!.bytes ?? 0) };
}
