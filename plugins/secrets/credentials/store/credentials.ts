import { inList, type Queries } from '../../../../kernel/contracts/index.ts';
import { type NamedRow, NamedTable, type ProjectScope } from '../../../platform/resources/contract.ts';
import { CREDENTIAL } from '../domain/names.ts';
import type { Credential } from '../generated/credential.ts';

export interface CredentialRow extends NamedRow {
  credential_id: string;
  kind: Credential['kind'];
  /** Sealed JSON. */
  fields: Buffer;
  set_at: number;
  /** A JSON list of the only hosts that may get it; null for any. */
  hosts: string | null;
  /** JSON of the reference of the secret field in a secret store; `fields` lacks that field then. */
  source: string | null;
}

export const credentials = new NamedTable<
  CredentialRow,
  Pick<CredentialRow, 'credential_id' | 'name' | 'kind' | 'hosts' | 'source'>
>({
  ...CREDENTIAL,
  table: 'credentials_credentials',
  id: 'credential_id',
  replaced: ['kind', 'fields', 'set_at', 'hosts', 'source'],
  listed: ['credential_id', 'name', 'kind', 'hosts', 'source'],
});

/** Returns the kinds and hosts of those credentials that exist. */
export function kindsOf(
  on: Pick<Queries, 'read'>,
  { org_id, project_id }: ProjectScope,
  names: readonly string[],
): Promise<Pick<CredentialRow, 'name' | 'kind' | 'hosts'>[]> {
  const list = inList(names);
  return on.read(
    `SELECT name, kind, hosts FROM credentials_credentials WHERE project_id = ? AND org_id = ? AND name IN ${list.placeholders}`,
    [project_id, org_id, ...list.params],
  );
}
