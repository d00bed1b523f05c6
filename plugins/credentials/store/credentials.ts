import { type NamedRow, NamedTable } from '../../resources/contract.ts';
import { CREDENTIAL } from '../domain/names.ts';
import type { Credential } from '../generated/credential.ts';

export interface CredentialRow extends NamedRow {
  credential_id: string;
  kind: Credential['kind'];
  /** Sealed JSON. */
  fields: Buffer;
  set_at: number;
}

export const credentials = new NamedTable<CredentialRow, Pick<CredentialRow, 'credential_id' | 'name' | 'kind'>>({
  ...CREDENTIAL,
  table: 'credentials_credentials',
  id: 'credential_id',
  replaced: ['kind', 'fields', 'set_at'],
  listed: ['credential_id', 'name', 'kind'],
});
