import {
  type Database,
  type Ids,
  isServiceError,
  type Page,
  type Queries,
  type SealContext,
  type Sealer,
  ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type {
  AuditedWrites,
  NamedRequest,
  ProjectScope,
  ResourceService,
} from '../../../platform/resources/contract.ts';
import { formatReference, type SecretStores, type StoreReference } from '../../secret-stores/contract.ts';
import type { CredentialFields, CredentialNames, SourceState, CredentialSource } from '../contract.ts';
import { completeFields, readFields, secretFieldOf, type StoredFields } from '../domain/fields.ts';
import { readHosts } from '../domain/hosts.ts';
import { CREDENTIAL } from '../domain/names.ts';
import type { PutCredential } from '../generated/put-credential.ts';
import { credentials, type CredentialRow, kindsOf } from '../store/credentials.ts';

export interface CredentialServiceOptions {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  names: CredentialNames;
  stores: SecretStores;
}

const sealContextOf = ({ org_id, project_id }: ProjectScope, name: string): SealContext => ({
  org_id,
  project_id,
  table: 'credentials_credentials',
  kind: 'credential',
  name,
  field: 'fields',
});

const hostsOf = (hosts: string | null): { hosts?: string[] } =>
  hosts === null ? {} : { hosts: JSON.parse(hosts) as string[] };

const toView = ({ name, kind, hosts, source }: Pick<CredentialRow, 'name' | 'kind' | 'hosts' | 'source'>) => ({
  name,
  kind,
  ...hostsOf(hosts),
  ...(source !== null && { from: JSON.parse(source) as StoreReference }),
});

/** Sets, lists and removes credentials. */
export class CredentialService implements CredentialSource, ResourceService<PutCredential> {
  readonly source = 'credential';
  readonly #options: CredentialServiceOptions;

  constructor(options: CredentialServiceOptions) {
    this.#options = options;
  }

  /** Throws `invalid_request`, `payload_too_large`, `name_conflict` or `secret_store_missing`. */
  async set(call: NamedRequest, { hosts: allowed, ...body }: PutCredential) {
    const { database, sealer, ids, names, writes, stores } = this.#options;
    const { scope, name } = call;
    const fields = readFields(body);
    const hosts = readHosts(allowed);
    if (body.from) await stores.check(database, scope, body.from);
    await sealer.prepare(scope.org_id);
    const row: CredentialRow = {
      ...scope,
      name,
      credential_id: ids.next('crd'),
      kind: fields.kind,
      fields: sealer.seal(sealContextOf(scope, name), Buffer.from(JSON.stringify(fields))),
      set_at: database.now(),
      hosts: hosts ? JSON.stringify(hosts) : null,
      source: body.from ? JSON.stringify(body.from) : null,
    };
    const made = await writes.write(call, 'credential.set', async (tx) => {
      const made = await names.reserve(tx, scope, name, this.source);
      await credentials.put(tx, row);
      return made;
    });
    return { made, view: toView(row) };
  }

  /** Throws `not_found`. */
  remove(call: NamedRequest): Promise<void> {
    const { names, writes } = this.#options;
    return writes.remove(call, 'credential.delete', {
      ...CREDENTIAL,
      remove: async (tx, scope, name) =>
        (await names.release(tx, scope, name, this.source)) && credentials.remove(tx, scope, name),
    });
  }

  list(scope: ProjectScope, page: Page) {
    return credentials.page(this.#options.database, scope, page, toView);
  }

  async states(on: Pick<Queries, 'read'>, scope: ProjectScope, names: readonly string[]) {
    const rows = await kindsOf(on, scope, names);
    return new Map<string, SourceState>(
      rows.map(({ name, kind, hosts }) => [name, { state: 'ok', kind, ...hostsOf(hosts) }]),
    );
  }

  /** Throws the errors of secret stores. */
  async fields(scope: ProjectScope, name: string) {
    const row = await credentials.find(this.#options.database, scope, name);
    if (row === undefined) return undefined;
    await this.#options.sealer.prepare(scope.org_id);
    const opened = this.#options.sealer.open(sealContextOf(scope, name), row.fields).toString();
    const stored = JSON.parse(opened) as StoredFields;
    const fields = row.source === null ? (stored as CredentialFields) : await this.#complete(row, stored, row.source);
    return { fields, ...hostsOf(row.hosts) };
  }

  /** Reads the secret field from the secret store that has it. An error names the credential and where its field is. */
  async #complete(row: CredentialRow, stored: StoredFields, source: string): Promise<CredentialFields> {
    const from = JSON.parse(source) as StoreReference;
    const { name: field, validate } = secretFieldOf(stored.kind);
    try {
      return completeFields(stored, await this.#options.stores.readValue(row, from, validate));
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const where = `the credential ${row.name}, whose ${field} is ${formatReference(from)}`;
      throw new ServiceError(error.definition, `${where}: ${error.message}`, error.extras);
    }
  }
}
