import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type Database, Errors, failpoint, type Sealer } from '../../../../kernel/contracts/index.ts';
import { generateKey, type PublicKey } from '../domain/jwt.ts';
import { MAX_KEY_AGE_MS, PUBLISHED_AFTER_MS, PUBLISHED_EARLY_MS } from '../domain/limits.ts';
import {
  deleteKey,
  insertKey,
  KEY_OWNER,
  lockRotation,
  readKeys,
  readPrivateKey,
  type StoredKey,
} from '../store/keys.ts';

export interface SigningKeysDeps {
  database: Database;
  sealer: Sealer;
}

export interface SigningKey {
  kid: string;
  private_key: KeyObject;
}

export interface Rotation {
  key_id: string;
  signs_from: number;
  /** True when another rotation has made this key and it does not sign yet. */
  pending: boolean;
}

/** `due`: only if there is no key, or the newest one is old. `revoke`: at once, and no older key stays valid. */
export type RotationReason = 'due' | 'requested' | 'revoke';

/**
 * The keys of the issuer. Which of them signs follows from the database's clock, so all servers agree. A key is published
 * before it signs, because verifiers keep the keys that they have read, and until the last token that it signed has expired.
 */
export class SigningKeys {
  readonly #deps: SigningKeysDeps;
  /** The private key that signed last. */
  #opened: SigningKey | undefined;

  constructor(deps: SigningKeysDeps) {
    this.#deps = deps;
  }

  /** The key that signs now. Makes the first one, and the successor of one that is old. */
  async current(): Promise<SigningKey> {
    const { database } = this.#deps;
    let keys = await this.#keys();
    if (isDue(keys, database.now())) {
      await this.rotate('due');
      keys = await this.#keys();
    }
    const now = database.now();
    const key = keys.findLast(({ signs_from }) => signs_from <= now) ?? keys[0];
    if (key === undefined) throw new Error('there is no signing key for ID tokens after a rotation');
    return this.#open(key.key_id);
  }

  /** What verifiers may find: also the key that signs next. */
  async published(): Promise<PublicKey[]> {
    const keys = await this.#keys();
    const now = this.#deps.database.now();
    return keys.filter((_, index) => !isRetired(keys, index, now)).map(({ jwk }) => jwk);
  }

  /** Rotations at the same time, on any servers, make one key. */
  async rotate(reason: RotationReason): Promise<Rotation> {
    const { database, sealer } = this.#deps;
    const made = await generateKey();
    await sealer.prepare(KEY_OWNER);
    const rotation = await database.transaction(async (tx) => {
      await lockRotation(tx);
      const keys = await readKeys(tx);
      const now = database.now();
      const newest = keys.at(-1);
      if (newest && reason !== 'revoke') {
        const { key_id, signs_from } = newest;
        if (signs_from > now) return { key_id, signs_from, pending: true };
        if (reason === 'due' && !isDue(keys, now)) return { key_id, signs_from, pending: false };
      }
      for (const [index, { key_id }] of keys.entries())
        if (reason === 'revoke' || isRetired(keys, index, now)) await deleteKey(tx, key_id);
      const signs_from = newest === undefined || reason === 'revoke' ? now : now + PUBLISHED_EARLY_MS;
      await insertKey(tx, sealer, made, { now, signs_from });
      failpoint('id-tokens.rotating');
      return { key_id: made.jwk.kid, signs_from, pending: false };
    });
    failpoint('id-tokens.rotated');
    return rotation;
  }

  /** At least one: a verifier that reads them before the first token must find its key. */
  async #keys(): Promise<StoredKey[]> {
    const { database } = this.#deps;
    const keys = await readKeys(database);
    if (keys.length > 0) return keys;
    await this.rotate('due');
    return readKeys(database);
  }

  async #open(kid: string): Promise<SigningKey> {
    if (this.#opened?.kid === kid) return this.#opened;
    const { database, sealer } = this.#deps;
    await sealer.prepare(KEY_OWNER);
    const der = await readPrivateKey(database, sealer, kid);
    if (der === undefined)
      throw Errors.unavailable('the signing key of ID tokens has just been revoked', { retryAfterMs: 1000 });
    this.#opened = { kid, private_key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
    return this.#opened;
  }
}

function isDue(keys: readonly StoredKey[], now: number): boolean {
  const newest = keys.at(-1);
  return newest === undefined || now - newest.signs_from > MAX_KEY_AGE_MS;
}

/** Its successor has signed for longer than its own last token lived. */
function isRetired(keys: readonly StoredKey[], index: number, now: number): boolean {
  const next = keys[index + 1];
  return next !== undefined && next.signs_from + PUBLISHED_AFTER_MS <= now;
}
