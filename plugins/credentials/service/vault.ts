import {
  type Database,
  Errors,
  type Ids,
  type Page,
  pageOf,
  type SealedPlace,
  type Sealer,
  token,
  type Transaction,
  settled,
} from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { CredentialFields, CredentialNames, CredentialScope, NameHolder, RawSecret } from '../contract.ts';
import { type GivenFields, readFields } from '../domain/fields.ts';
import { checkName, isName } from '../domain/names.ts';
import { rawOf } from '../domain/raw.ts';
import { CredentialErrors } from '../errors.ts';
import {
  type CredentialEntry,
  listCredentials,
  type NewCredential,
  removeCredential,
  sealedFields,
  writeCredential,
} from '../store/credential-table.ts';

export interface CredentialParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Audit;
  names: CredentialNames;
}

const placeOf = ({ org_id, project_id }: CredentialScope, name: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'credentials_credentials',
  kind: 'credential',
  name,
  field: 'fields',
});

const noCredential = (name: string) => Errors.notFound(`no credential ${name.slice(0, 63)} in this project`);

/** Sets, lists and removes credentials; what is done and the audit row of it are one transaction. */
export class CredentialVault implements NameHolder {
  readonly holder = 'credential';
  readonly #parts: CredentialParts;

  constructor(parts: CredentialParts) {
    this.#parts = parts;
  }

  /** True when it is new. Throws `invalid_request`, `payload_too_large`, `name_conflict`. */
  async set(scope: CredentialScope, name: string, given: GivenFields, by: AuditSource): Promise<boolean> {
    const { database, sealer, ids, names } = this.#parts;
    checkName(name);
    const fields = readFields(given);
    await sealer.prepare(scope.org_id);
    const credential: NewCredential = {
      org_id: scope.org_id,
      project_id: scope.project_id,
      name,
      credential_id: ids.next('crd'),
      kind: fields.kind,
      fields: sealer.seal(placeOf(scope, name), Buffer.from(JSON.stringify(fields))),
      set_at: database.now(),
    };
    return this.#settled(async (tx) => {
      const made = await names.take(tx, scope, name, this.holder);
      await writeCredential(tx, credential);
      await this.#record(tx, scope, 'credential.set', name, by);
      return made;
    });
  }

  /** Throws `not_found`. */
  async remove(scope: CredentialScope, name: string | undefined, by: AuditSource): Promise<void> {
    if (!isName(name)) throw noCredential(name ?? '');
    await this.#parts.database.transaction(async (tx) => {
      if (!(await this.#parts.names.release(tx, scope, name, this.holder))) throw noCredential(name);
      await removeCredential(tx, scope, name);
      await this.#record(tx, scope, 'credential.delete', name, by);
    });
  }

  async list(scope: CredentialScope, page: Page): Promise<{ items: CredentialEntry[]; next_cursor?: string }> {
    const rows = await listCredentials(this.#parts.database, scope, page);
    return pageOf(rows, page.limit, ({ credential_id }) => credential_id);
  }

  async fields(scope: CredentialScope, name: string): Promise<CredentialFields | undefined> {
    if (!isName(name)) return undefined;
    const blob = await sealedFields(this.#parts.database, scope, name);
    if (blob === undefined) return undefined;
    await this.#parts.sealer.prepare(scope.org_id);
    return JSON.parse(this.#parts.sealer.open(placeOf(scope, name), blob).toString()) as CredentialFields;
  }

  async raw(scope: CredentialScope, name: string): Promise<RawSecret> {
    const fields = await this.fields(scope, name);
    if (fields === undefined)
      throw CredentialErrors.credentialMissing(`there is no credential ${name} in this project`);
    return rawOf(fields);
  }

  #record(tx: Transaction, scope: CredentialScope, action: string, subject: string, by: AuditSource): Promise<void> {
    return this.#parts.audit.record(tx, { ...by, org_id: scope.org_id, project_id: scope.project_id, action, subject });
  }

  /** When the answer to a commit is lost, setting the same again is right. */
  #settled<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return settled(() => this.#parts.database.transaction(work));
  }
}

/** The token under which the routes find it. */
export const OwnVault = token<CredentialVault>('credentials.CredentialVault');
