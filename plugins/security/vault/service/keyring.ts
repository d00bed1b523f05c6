import type {
  Database,
  Ids,
  KeyedDigest,
  Log,
  SealContext,
  Sealer,
  Settings,
} from '../../../../kernel/contracts/index.ts';
import { Errors, isServiceError } from '../../../../kernel/contracts/index.ts';
import { decrypt, digestOf, encrypt, KEY_BYTES, keyVersionOf, NONCE_BYTES, contextAad } from '../domain/envelope.ts';
import { unwrapOrgKey, wrapOrgKey } from '../domain/master-key.ts';
import { VaultErrors } from '../errors.ts';
import { lockKeyChecks, readKeyChecks } from '../store/key-checks.ts';
import { insertOrgKey, readOrgKeys, type WrappedKey } from '../store/org-keys.ts';
import { isActive, isIncoming, loadMaster, type Master } from './master.ts';

interface OrgKey {
  version: number;
  key: Buffer;
  usable_from: number;
}

/** Newest first. */
type OrgKeys = readonly OrgKey[];

export interface KeyringDeps {
  settings: Settings;
  database: Database;
  ids: Ids;
  log: Log;
}

/** The interval at which a server checks for rotated keys. */
export const REFRESH_MS = 5000;

/**
 * The Sealer keeps unwrapped org keys in memory. They are few and small (about 200 bytes for each org). `open` must
 * stay synchronous for every org that was prepared, so no key is evicted.
 */
export class Keyring implements Sealer {
  readonly #deps: KeyringDeps;
  readonly #orgs = new Map<string, OrgKeys>();
  readonly #loading = new Map<string, Promise<void>>();
  #master: Promise<Master> | undefined;
  #generation = 0;
  /** Set when the master key of the database changed while this process runs. */
  #outdated = false;

  constructor(deps: KeyringDeps) {
    this.#deps = deps;
  }

  /**
   * Loads and checks the master key. `loadMaster` lists the errors. A failed load is tried again at the next call.
   */
  async master(): Promise<Master> {
    this.#master ??= loadMaster(this.#deps);
    try {
      return await this.#master;
    } catch (error) {
      this.#master = undefined;
      throw error;
    }
  }

  async prepare(org_id: string): Promise<void> {
    if (this.#orgs.has(org_id)) return;
    await this.#load(org_id);
  }

  seal(context: SealContext, plaintext: Buffer): Buffer {
    const current = this.#currentKeyOf(context.org_id);
    const nonce = this.#deps.ids.bytes(NONCE_BYTES);
    return encrypt(current.key, current.version, nonce, contextAad(context, current.version), plaintext);
  }

  open(context: SealContext, blob: Buffer): Buffer {
    const version = keyVersionOf(blob);
    const key = this.#keysOf(context.org_id).find((candidate) => candidate.version === version);
    const plaintext = key && decrypt(key.key, contextAad(context, key.version), blob);
    if (!plaintext) {
      const where = `${context.table} ${context.kind} ${context.field} of ${context.org_id}`;
      const why = key || version === undefined ? 'cannot be decrypted here' : `names an unknown key version ${version}`;
      throw VaultErrors.sealedValueUnreadable(`the sealed value in ${where} ${why}`);
    }
    return plaintext;
  }

  digest(context: Omit<SealContext, 'name'>, text: string, key_version?: number): KeyedDigest {
    const { org_id, table, kind, field } = context;
    const used =
      key_version === undefined
        ? this.#currentKeyOf(org_id)
        : this.#keysOf(org_id).find(({ version }) => version === key_version);
    if (!used)
      throw VaultErrors.sealedValueUnreadable(
        `the digest in ${table} ${kind} ${field} of ${org_id} names an unknown key version ${key_version}`,
      );
    return {
      hex: digestOf(used.key, contextAad({ ...context, name: '' }, used.version), text),
      key_version: used.version,
    };
  }

  /** Notices rotations and a change of the master key. Reads one row when nothing changed. */
  async refresh(): Promise<void> {
    const { key } = await this.master();
    const checks = await readKeyChecks(this.#deps.database);
    const outdated = !isActive(checks, key) && !isIncoming(checks, key);
    if (outdated && !this.#outdated)
      this.#deps.log.error(
        { code: VaultErrors.masterKeyWrong.code },
        'the master key was changed; restart with the new key',
      );
    this.#outdated = outdated;
    const generation = checks.active?.generation ?? 0;
    if (outdated || generation === this.#generation) return;
    // Loads in progress may have read before the rotation, so those orgs are read again.
    for (const org_id of new Set([...this.#orgs.keys(), ...this.#loading.keys()])) await this.#reload(org_id);
    this.#generation = generation;
  }

  /** A damaged key row of one org must not keep other orgs from their new keys. */
  async #reload(org_id: string): Promise<void> {
    try {
      await this.#fetch(org_id);
    } catch (error) {
      if (!isServiceError(error, VaultErrors.sealedValueUnreadable.code)) throw error;
      this.#deps.log.error({ org_id, code: error.code }, 'a key of this org cannot be opened; restore its row');
    }
  }

  /** Throws when this process cannot open values that are sealed from now on. */
  checkHealth(): void {
    if (this.#outdated) throw VaultErrors.masterKeyWrong('the master key was changed while this server was running');
  }

  #currentKeyOf(org_id: string): OrgKey {
    const now = this.#deps.database.now();
    const keys = this.#keysOf(org_id);
    return keys.find((key) => key.usable_from <= now) ?? keys.at(-1)!;
  }

  #keysOf(org_id: string): OrgKeys {
    const keys = this.#orgs.get(org_id);
    if (!keys) throw new Error('a Sealer was used for an org that was not prepared: await prepare(org_id) first');
    return keys;
  }

  async #load(org_id: string): Promise<void> {
    const running = this.#loading.get(org_id);
    if (running) return running;
    const load = this.#fetch(org_id).finally(() => this.#loading.delete(org_id));
    this.#loading.set(org_id, load);
    return load;
  }

  async #fetch(org_id: string): Promise<void> {
    const master = await this.master();
    let wrapped = await readOrgKeys(this.#deps.database, org_id);
    if (wrapped.length === 0) wrapped = await this.#create(master, org_id);
    const keys = await this.#unwrap(master, org_id, wrapped);
    // Versions are only added, so the longer list is always the newer one.
    if (keys.length > (this.#orgs.get(org_id)?.length ?? 0)) this.#orgs.set(org_id, keys);
  }

  /** Creates the org's first key. When two servers race, both get the winner's key. */
  async #create(master: Master, org_id: string): Promise<WrappedKey[]> {
    const { database, ids } = this.#deps;
    return database.transaction(async (tx) => {
      const checks = await lockKeyChecks(tx);
      if (!isActive(checks, master.key) && !isIncoming(checks, master.key))
        throw VaultErrors.masterKeyWrong('the master key was changed while this process was running');
      const existing = await readOrgKeys(tx, org_id);
      if (existing.length > 0) return existing;
      const wrapped = wrapOrgKey(master.key, org_id, 1, ids.bytes(NONCE_BYTES), ids.bytes(KEY_BYTES));
      await insertOrgKey(tx, {
        org_id,
        version: 1,
        master_id: master.key.id,
        wrapped,
        usable_from: 0,
        created_at: database.now(),
      });
      return readOrgKeys(tx, org_id);
    });
  }

  async #unwrap(master: Master, org_id: string, wrapped: readonly WrappedKey[]): Promise<OrgKeys> {
    const versions = new Set(wrapped.map((row) => row.version));
    const ours = wrapped.filter((row) => row.master_id === master.key.id);
    if (ours.length < versions.size) await this.#throwForeignKey(master, org_id);
    const keys = ours.map(({ version, wrapped: blob, usable_from }) => {
      const key = unwrapOrgKey(master.key, org_id, version, blob);
      if (!key) throw VaultErrors.sealedValueUnreadable(`key ${version} of org ${org_id} was altered or moved`);
      return { version, key, usable_from };
    });
    return keys.sort((a, b) => b.version - a.version);
  }

  async #throwForeignKey(master: Master, org_id: string): Promise<never> {
    const checks = await readKeyChecks(this.#deps.database);
    if (isActive(checks, master.key) || isIncoming(checks, master.key))
      throw Errors.unavailable(
        `the master key is being changed, and the key of org ${org_id} has not been changed yet`,
        {
          retryAfterMs: 1000,
        },
      );
    throw VaultErrors.masterKeyWrong('the master key was changed while this process was running');
  }
}
