import {
  type Database,
  type Ids,
  type Page,
  type SealContext,
  type Sealer,
  isServiceError,
  iso,
  ServiceError,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type {
  AuditedWrites,
  NamedRequest,
  ProjectScope,
  ResourceService,
} from '../../../platform/resources/contract.ts';
import type { SecretStores, StoreReference } from '../../secret-stores/contract.ts';
import type { Secrets } from '../contract.ts';
import { checkBody, MAX_SECRETS, MAX_STORED_ELSEWHERE, MAX_TOTAL_BYTES } from '../domain/rules.ts';
import { SecretErrors } from '../errors.ts';
import type { PutSecret } from '../generated/put-secret.ts';
import type { Secret } from '../generated/secret.ts';
import type { SecretEntry } from '../generated/secret-entry.ts';
import { sealedSecrets, type SecretRow, secrets, sizeOf } from '../store/secrets.ts';

export interface SecretServiceOptions {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  stores: SecretStores;
}

const sealContextOf = ({ org_id, project_id }: ProjectScope, name: string): SealContext => ({
  org_id,
  project_id,
  table: 'secrets_secrets',
  kind: 'secret',
  name,
  field: 'value',
});

const entryOf = ({ name, set_at, source }: Pick<SecretRow, 'name' | 'set_at' | 'source'>): SecretEntry => ({
  name,
  set_at: iso(set_at),
  ...(source !== null && { from: JSON.parse(source) as StoreReference }),
});

/** Sets, shows and removes secrets, and provides their values to jobs. */
export class SecretService implements Secrets, ResourceService<PutSecret> {
  readonly #options: SecretServiceOptions;

  constructor(options: SecretServiceOptions) {
    this.#options = options;
  }

  list(scope: ProjectScope, page: Page) {
    return secrets.page(this.#options.database, scope, page, entryOf);
  }

  /** Reads a value and writes an audit entry. Throws `not_found`, and the errors of secret stores. */
  async read(call: NamedRequest): Promise<Secret> {
    await this.#options.sealer.prepare(call.scope.org_id);
    const row = await this.#options.writes.write(call, 'secret.read', (tx) => secrets.get(tx, call.scope, call.name));
    return { ...entryOf(row), value: await this.#valueOf(row) };
  }

  /** Sets a value, or where it is. Throws `payload_too_large`, `invalid_request`, `secret_store_missing` or `secrets_full`. */
  async set(call: NamedRequest, body: PutSecret) {
    const { database, sealer, ids, writes } = this.#options;
    const { scope, name } = call;
    checkBody(body);
    const { value = '', from } = body;
    if (from) await this.#options.stores.check(database, scope, from);
    await sealer.prepare(scope.org_id);
    const row: SecretRow = {
      ...scope,
      name,
      secret_id: ids.next('sec'),
      value: sealer.seal(sealContextOf(scope, name), Buffer.from(value)),
      value_bytes: Buffer.byteLength(value),
      set_at: database.now(),
      source: from ? JSON.stringify(from) : null,
    };
    const made = await writes.write(call, 'secret.set', async (tx) => {
      const made = await secrets.put(tx, row);
      await assertWithinLimits(tx, scope);
      return made;
    });
    return { made, view: { name } };
  }

  /** Throws `not_found`. */
  remove(call: NamedRequest): Promise<void> {
    return this.#options.writes.remove(call, 'secret.delete', secrets);
  }

  async namesOf(scope: ProjectScope): Promise<string[]> {
    return (await sealedSecrets(this.#options.database, scope)).map(({ name }) => name);
  }

  async valuesOf(scope: ProjectScope): Promise<{ name: string; value: string }[]> {
    const rows = await sealedSecrets(this.#options.database, scope);
    if (rows.length > 0) await this.#options.sealer.prepare(scope.org_id);
    const values = await Promise.all(rows.map(async (row) => ({ name: row.name, value: await this.#valueOf(row) })));
    assertTotal(values.reduce((bytes, { value }) => bytes + Buffer.byteLength(value), 0));
    return values;
  }

  async comparableValues(scope: ProjectScope): Promise<string[]> {
    const rows = await sealedSecrets(this.#options.database, scope);
    if (rows.length > 0) await this.#options.sealer.prepare(scope.org_id);
    const values = await Promise.all(rows.map((row) => this.#valueIfReadable(row)));
    return values.filter((value) => value !== undefined);
  }

  async #valueIfReadable(row: SecretRow): Promise<string | undefined> {
    try {
      return await this.#valueOf(row);
    } catch (error) {
      const must_fail =
        row.source === null || !isServiceError(error) || isServiceError(error, 'secret_store_unavailable');
      if (must_fail) throw error;
      return undefined;
    }
  }

  /** Reads a value from the secret store that has it. An error names the secret. */
  async #valueOf(row: SecretRow): Promise<string> {
    if (row.source === null) return this.#open(row);
    try {
      return await this.#options.stores.readValue(row, JSON.parse(row.source) as StoreReference);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      throw new ServiceError(error.definition, `the secret ${row.name}: ${error.message}`, error.extras);
    }
  }

  #open(row: SecretRow): string {
    return this.#options.sealer.open(sealContextOf(row, row.name), row.value).toString();
  }
}

async function assertWithinLimits(tx: Transaction, scope: ProjectScope): Promise<void> {
  const { count, elsewhere, bytes } = await sizeOf(tx, scope);
  if (count > MAX_SECRETS) throw SecretErrors.secretsFull(`a project can have at most ${MAX_SECRETS} secrets`);
  if (elsewhere > MAX_STORED_ELSEWHERE)
    throw SecretErrors.secretsFull(`a project can have at most ${MAX_STORED_ELSEWHERE} secrets in secret stores`);
  assertTotal(bytes);
}

function assertTotal(bytes: number): void {
  if (bytes > MAX_TOTAL_BYTES)
    throw SecretErrors.secretsFull(`the secrets of a project can have at most ${MAX_TOTAL_BYTES} bytes in total`);
}
