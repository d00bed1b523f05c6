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
import type { SecretEntry, Secrets, SecretScope, SecretValue } from '../contract.ts';
import { checkName, checkValue, isName, MOST_BYTES_IN_ALL, MOST_SECRETS } from '../domain/rules.ts';
import { SecretErrors } from '../errors.ts';
import {
  insertSecret,
  listSecrets,
  type NewSecret,
  readSecret,
  removeSecret,
  replaceSecret,
  type SecretRow,
  sealedSecrets,
  sizeOf,
} from '../store/secret-table.ts';

export interface SecretParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Audit;
}

const placeOf = ({ org_id, project_id }: SecretScope, name: string): SealedPlace => ({
  org_id,
  project_id,
  table: 'secrets_secrets',
  kind: 'secret',
  name,
  field: 'value',
});

const noSecret = (name: string) => Errors.notFound(`no secret ${name.slice(0, 128)} in this project`);

/** Sets, shows and removes secrets; what is done and the audit row of it are one transaction. */
export class SecretVault implements Secrets {
  readonly #parts: SecretParts;

  constructor(parts: SecretParts) {
    this.#parts = parts;
  }

  /** True when it is new. Throws `invalid_request`, `payload_too_large`, `secrets_full`. */
  async set(scope: SecretScope, name: string, value: string, by: AuditSource): Promise<boolean> {
    const { database, sealer, ids } = this.#parts;
    checkName(name);
    checkValue(value);
    await sealer.prepare(scope.org_id);
    const secret: NewSecret = {
      org_id: scope.org_id,
      project_id: scope.project_id,
      name,
      secret_id: ids.next('sec'),
      value: sealer.seal(placeOf(scope, name), Buffer.from(value)),
      value_bytes: Buffer.byteLength(value),
      set_at: database.now(),
    };
    return this.#write(async (tx) => {
      const made = !(await replaceSecret(tx, secret)) && (await insertSecret(tx, secret));
      if (!made) await replaceSecret(tx, secret);
      await refuseTooMany(tx, scope);
      await this.#record(tx, scope, 'secret.set', name, by);
      return made;
    });
  }

  /** Throws `not_found`. */
  async read(scope: SecretScope, name: string | undefined, by: AuditSource): Promise<SecretValue> {
    if (!isName(name)) throw noSecret(name ?? '');
    await this.#parts.sealer.prepare(scope.org_id);
    const row = await this.#write(async (tx) => {
      const found = await readSecret(tx, scope, name);
      if (!found) throw noSecret(name);
      await this.#record(tx, scope, 'secret.read', name, by);
      return found;
    });
    return { ...row, value: this.#open(scope, row) };
  }

  /** Throws `not_found`. */
  async remove(scope: SecretScope, name: string | undefined, by: AuditSource): Promise<void> {
    if (!isName(name)) throw noSecret(name ?? '');
    await this.#parts.database.transaction(async (tx) => {
      if (!(await removeSecret(tx, scope, name))) throw noSecret(name);
      await this.#record(tx, scope, 'secret.delete', name, by);
    });
  }

  async list(scope: SecretScope, page: Page): Promise<{ items: SecretEntry[]; next_cursor?: string }> {
    const rows = await listSecrets(this.#parts.database, scope, page);
    return pageOf(rows, page.limit, ({ secret_id }) => secret_id);
  }

  async valuesOf(scope: SecretScope): Promise<{ name: string; value: string }[]> {
    const rows = await sealedSecrets(this.#parts.database, scope);
    if (rows.length > 0) await this.#parts.sealer.prepare(scope.org_id);
    return rows.map((row) => ({ name: row.name, value: this.#open(scope, row) }));
  }

  #open(scope: SecretScope, row: SecretRow): string {
    return this.#parts.sealer.open(placeOf(scope, row.name), row.value).toString();
  }

  #record(tx: Transaction, scope: SecretScope, action: string, subject: string, by: AuditSource): Promise<void> {
    return this.#parts.audit.record(tx, { ...by, org_id: scope.org_id, project_id: scope.project_id, action, subject });
  }

  /** When the answer to a commit is lost, doing it again is right: setting and reading twice are as once. */
  #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return settled(() => this.#parts.database.transaction(work));
  }
}

async function refuseTooMany(tx: Transaction, scope: SecretScope): Promise<void> {
  const { count, bytes } = await sizeOf(tx, scope);
  if (count > MOST_SECRETS) throw SecretErrors.secretsFull(`a project has at most ${MOST_SECRETS} secrets`);
  if (bytes > MOST_BYTES_IN_ALL)
    throw SecretErrors.secretsFull(`the secrets of a project have at most ${MOST_BYTES_IN_ALL} bytes in all`);
}

/** The token under which the routes find it. */
export const OwnVault = token<SecretVault>('secrets.SecretVault');
