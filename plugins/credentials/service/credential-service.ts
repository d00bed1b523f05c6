import type { Database, Ids, Page, Queries, SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { AuditedWrites, NamedCall, ProjectScope, ResourceService } from '../../resources/contract.ts';
import type { CredentialFields, CredentialNames, HeldState, NameHolder } from '../contract.ts';
import { readFields } from '../domain/fields.ts';
import { CREDENTIAL } from '../domain/names.ts';
import type { PutCredential } from '../generated/put-credential.ts';
import { credentials, type CredentialRow, kindsOf } from '../store/credentials.ts';

export interface CredentialParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  names: CredentialNames;
}

const placeOf = ({ org_id, project_id }: ProjectScope, name: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'credentials_credentials',
  kind: 'credential',
  name,
  field: 'fields',
});

/** Sets, lists and removes credentials. */
export class CredentialService implements NameHolder, ResourceService<PutCredential> {
  readonly holder = 'credential';
  readonly #parts: CredentialParts;

  constructor(parts: CredentialParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request`, `payload_too_large`, `name_conflict`. */
  async set(call: NamedCall, given: PutCredential) {
    const { database, sealer, ids, names, writes } = this.#parts;
    const { scope, name } = call;
    const fields = readFields(given);
    await sealer.prepare(scope.org_id);
    const row: CredentialRow = {
      ...scope,
      name,
      credential_id: ids.next('crd'),
      kind: fields.kind,
      fields: sealer.seal(placeOf(scope, name), Buffer.from(JSON.stringify(fields))),
      set_at: database.now(),
    };
    const made = await writes.write(call, 'credential.set', async (tx) => {
      const made = await names.take(tx, scope, name, this.holder);
      await credentials.put(tx, row);
      return made;
    });
    return { made, view: { name, kind: fields.kind } };
  }

  /** Throws `not_found`. */
  remove(call: NamedCall): Promise<void> {
    const { names, writes } = this.#parts;
    return writes.remove(call, 'credential.delete', {
      ...CREDENTIAL,
      remove: async (tx, scope, name) =>
        (await names.release(tx, scope, name, this.holder)) && credentials.remove(tx, scope, name),
    });
  }

  list(scope: ProjectScope, page: Page) {
    return credentials.page(this.#parts.database, scope, page, ({ name, kind }) => ({ name, kind }));
  }

  async states(on: Pick<Queries, 'read'>, scope: ProjectScope, names: readonly string[]) {
    const rows = await kindsOf(on, scope, names);
    return new Map<string, HeldState>(rows.map(({ name, kind }) => [name, { state: 'ok', kind }]));
  }

  async fields(scope: ProjectScope, name: string): Promise<CredentialFields | undefined> {
    const row = await credentials.find(this.#parts.database, scope, name);
    if (row === undefined) return undefined;
    await this.#parts.sealer.prepare(scope.org_id);
    return JSON.parse(this.#parts.sealer.open(placeOf(scope, name), row.fields).toString()) as CredentialFields;
  }
}
