import type { Page, Queries } from '../../../kernel/contracts/index.ts';
import type { CredentialKind, CredentialScope } from '../contract.ts';

export interface CredentialEntry {
  credential_id: string;
  name: string;
  kind: CredentialKind;
}

export interface NewCredential extends CredentialEntry, CredentialScope {
  /** Sealed JSON. */
  fields: Buffer;
  set_at: number;
}

export async function writeCredential(on: Queries, credential: NewCredential): Promise<void> {
  await on.write(
    `INSERT INTO credentials_credentials (project_id, name, org_id, credential_id, kind, fields, set_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ${on.sql.upsert(['project_id', 'name'], ['kind', 'fields', 'set_at'])}`,
    [
      credential.project_id,
      credential.name,
      credential.org_id,
      credential.credential_id,
      credential.kind,
      credential.fields,
      credential.set_at,
    ],
  );
}

export async function removeCredential(on: Queries, { org_id, project_id }: CredentialScope, name: string) {
  await on.write('DELETE FROM credentials_credentials WHERE project_id = ? AND org_id = ? AND name = ?', [
    project_id,
    org_id,
    name,
  ]);
}

/** The sealed fields; undefined when there is no such credential. */
export async function sealedFields(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: CredentialScope,
  name: string,
): Promise<Buffer | undefined> {
  const [row] = await on.read<{ fields: Buffer }>(
    'SELECT fields FROM credentials_credentials WHERE project_id = ? AND org_id = ? AND name = ?',
    [project_id, org_id, name],
  );
  return row?.fields;
}

/** One more than the limit, newest first; names and kinds. */
export function listCredentials(
  on: Queries,
  { org_id, project_id }: CredentialScope,
  page: Page,
): Promise<CredentialEntry[]> {
  return on.read<CredentialEntry>(
    `SELECT credential_id, name, kind FROM credentials_credentials WHERE project_id = ? AND org_id = ?
     ${page.before === undefined ? '' : 'AND credential_id < ?'}
     ORDER BY credential_id DESC LIMIT ${Math.trunc(page.limit) + 1}`,
    [project_id, org_id, ...(page.before === undefined ? [] : [page.before])],
  );
}
