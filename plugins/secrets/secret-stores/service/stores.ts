import {
  BoundedMap,
  type Clock,
  type Database,
  type Egress,
  type Ids,
  iso,
  isServiceError,
  type Page,
  type Queries,
  type SealContext,
  type Sealer,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import type {
  AuditedWrites,
  NamedRequest,
  ProjectScope,
  ResourceService,
} from '../../../platform/resources/contract.ts';
import type { SecretStores, StoreReference } from '../contract.ts';
import { type Found, extractValue } from '../domain/found-value.ts';
import { type Login, readStore, type StoreKind, type StoreOptions } from '../domain/options.ts';
import { checkReference } from '../domain/references.ts';
import { SecretStoreErrors } from '../errors.ts';
import type { PutSecretStore } from '../generated/put-secret-store.ts';
import type { SecretStore } from '../generated/secret-store.ts';
import type { SecretStoreTest } from '../generated/secret-store-test.ts';
import type { TestSecretStore } from '../generated/test-secret-store.ts';
import { type StoreRow, stores } from '../store/stores.ts';
import { readAws } from './aws.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { readGcp } from './gcp.ts';
import { VaultReader } from './vault.ts';

/** A store with its login, as it was set at one time. */
export interface OpenStore {
  /** Another one when the store is set again. */
  key: string;
  kind: StoreKind;
  /** Names the store in errors. */
  label: string;
  options: StoreOptions;
  login: Login;
}

export interface StoreServiceOptions {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  egress: Egress;
  clock: Clock;
  /** How long a value is kept in memory, in milliseconds. */
  cache_ms: number;
}

const MAX_CACHED = 10_000;
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
/** While a store does not answer, it is asked once in this time. Otherwise every claim would wait for its time limit. */
const DOWN_MS = 2000;

const sealContextOf = ({ org_id, project_id }: ProjectScope, name: string): SealContext => ({
  org_id,
  project_id,
  table: 'secret_stores_stores',
  kind: 'secret_store',
  name,
  field: 'login',
});

const toView = ({
  name,
  kind,
  set_at,
  options,
}: Pick<StoreRow, 'name' | 'kind' | 'set_at' | 'options'>): SecretStore => ({
  name,
  kind,
  ...(JSON.parse(options) as StoreOptions),
  set_at: iso(Number(set_at)),
});

const sizeOf = (found: Found): number => (typeof found === 'string' ? found.length : JSON.stringify(found).length);

interface Cached {
  found: Found;
  until: number;
}

/** Sets, lists, tests and removes secret stores, and reads values from them. It never writes to a store. */
export class SecretStoreService implements SecretStores, ResourceService<PutSecretStore> {
  readonly #options: StoreServiceOptions;
  readonly #exchange: Exchange;
  readonly #vault: VaultReader;
  readonly #cache = new BoundedMap<string, Cached>(MAX_CACHED, {
    max_weight: MAX_CACHED_CHARACTERS,
    weigh: ({ found }) => sizeOf(found),
  });
  readonly #down = new BoundedMap<string, { error: ServiceError; until: number }>(MAX_CACHED);
  readonly #reading = new Map<string, Promise<Found>>();

  constructor(options: StoreServiceOptions) {
    this.#options = options;
    this.#exchange = createExchange(options.egress, options.clock);
    this.#vault = new VaultReader(this.#exchange);
  }

  list(scope: ProjectScope, page: Page) {
    return stores.page(this.#options.database, scope, page, toView);
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedRequest): Promise<SecretStore> {
    return toView(await stores.get(this.#options.database, scope, name));
  }

  /** Throws `invalid_request`. */
  async set(call: NamedRequest, body: PutSecretStore) {
    const { database, sealer, ids, writes } = this.#options;
    const { scope, name } = call;
    const { options, login } = readStore(body);
    await sealer.prepare(scope.org_id);
    const row: StoreRow = {
      org_id: scope.org_id,
      project_id: scope.project_id,
      name,
      store_id: ids.next('sst'),
      kind: body.kind,
      set_at: database.now(),
      options: JSON.stringify(options),
      login: sealer.seal(sealContextOf(scope, name), Buffer.from(JSON.stringify(login))),
    };
    const made = await writes.write(call, 'secret_store.set', (tx) => stores.put(tx, row));
    return { made, view: toView(row) };
  }

  /** Throws `not_found`. */
  remove(call: NamedRequest): Promise<void> {
    return this.#options.writes.remove(call, 'secret_store.delete', stores);
  }

  /** Reads a value from the store itself and says whether a run could use it. Throws `not_found` or `invalid_request`. */
  async test(call: NamedRequest, { path, field }: TestSecretStore): Promise<SecretStoreTest> {
    const { writes } = this.#options;
    const row = await writes.write(call, 'secret_store.test', (tx) => stores.get(tx, call.scope, call.name));
    checkReference(row.kind, { path, field });
    const store = await this.#open(row);
    try {
      extractValue(await this.#fetch(store, path), locationOf(store, path, field), field);
      return { ok: true };
    } catch (error) {
      if (!isServiceError(error)) throw error;
      return { ok: false, code: error.code, message: error.message };
    }
  }

  async check(on: Pick<Queries, 'read'>, scope: ProjectScope, reference: StoreReference): Promise<void> {
    checkReference((await this.#find(on, scope, reference)).kind, reference);
  }

  async readValue(
    scope: ProjectScope,
    reference: StoreReference,
    validate?: (value: string) => string | undefined,
  ): Promise<string> {
    const { path, field } = reference;
    const store = await this.#open(await this.#find(this.#options.database, scope, reference));
    const location = locationOf(store, path, field);
    const value = extractValue(await this.#cached(store, path), location, field);
    const wrong = validate?.(value);
    if (wrong !== undefined) throw SecretStoreErrors.noValue(`${location} ${wrong}`);
    return value;
  }

  async #find(on: Pick<Queries, 'read'>, scope: ProjectScope, { store: name }: StoreReference): Promise<StoreRow> {
    const row = await stores.find(on, scope, name);
    if (!row) throw SecretStoreErrors.missing(`the project has no secret store ${name.slice(0, 63)}`);
    return row;
  }

  async #open(row: StoreRow): Promise<OpenStore> {
    const { sealer } = this.#options;
    await sealer.prepare(row.org_id);
    return {
      key: `${row.store_id} ${row.login.toString('base64').slice(-32)}`,
      kind: row.kind,
      label: `the secret store ${row.name}`,
      options: JSON.parse(row.options) as StoreOptions,
      login: JSON.parse(sealer.open(sealContextOf(row, row.name), row.login).toString()) as Login,
    };
  }

  /** Reads a path once for all that want it at the same time, and keeps what it found for a while. */
  async #cached(store: OpenStore, path: string): Promise<Found> {
    const { clock, cache_ms } = this.#options;
    const key = `${store.key} ${path}`;
    const cached = this.#cache.get(key);
    if (cached && cached.until > clock.monotonic()) return cached.found;
    const down = this.#down.get(store.key);
    if (down && down.until > clock.monotonic()) throw down.error;
    const reading = this.#reading.get(key) ?? this.#fetch(store, path).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    try {
      const found = await reading;
      if (cache_ms > 0) this.#cache.set(key, { found, until: clock.monotonic() + cache_ms });
      return found;
    } catch (error) {
      if (isServiceError(error, 'secret_store_unavailable'))
        this.#down.set(store.key, { error, until: clock.monotonic() + DOWN_MS });
      throw error;
    }
  }

  #fetch(store: OpenStore, path: string): Promise<Found> {
    if (store.kind === 'vault') return this.#vault.read(store, path);
    return store.kind === 'aws' ? readAws(this.#exchange, store, path) : readGcp(this.#exchange, store, path);
  }
}

const locationOf = ({ label }: OpenStore, path: string, field: string | undefined): string =>
  `${path}${field === undefined ? '' : `#${field}`} in ${label}`;
