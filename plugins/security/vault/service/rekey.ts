import { type Database, failpoint, type Ids, type Transaction } from '../../../../kernel/contracts/index.ts';
import { NONCE_BYTES } from '../domain/envelope.ts';
import { isSameCheck, type MasterKey, unwrapOrgKey, wrapOrgKey } from '../domain/master-key.ts';
import { VaultErrors } from '../errors.ts';
import {
  deleteIncoming,
  insertKeyCheck,
  type KeyCheck,
  type KeyChecks,
  lockKeyChecks,
  promoteIncoming,
  readKeyChecks,
} from '../store/key-checks.ts';
import { deleteWrapsBy, insertOrgKey, keysNotWrappedBy, type WrappedKey } from '../store/org-keys.ts';

interface RekeyDeps {
  database: Database;
  ids: Ids;
}

export interface RekeyResult {
  /** Org keys wrapped by this call; keys of an earlier, killed call are not counted. */
  rewrapped: number;
  /** False when the caller asked to keep the old key valid. */
  finished: boolean;
}

const BATCH = 100;

/**
 * Changes the master key. Every org key gets a second wrap; then one transaction makes the new key the only valid one.
 * Until that commit both keys open everything. After a kill, calling it again with the same keys continues. Throws
 * `rekey_conflict`, `sealed_value_unreadable`.
 */
export async function rekey(
  deps: RekeyDeps,
  keys: { current: MasterKey; next: MasterKey; retain_previous: boolean },
): Promise<RekeyResult> {
  const { current, next, retain_previous } = keys;
  if (await begin(deps, current, next)) return { rewrapped: 0, finished: true };
  failpoint('vault.rekey.begun');
  for (let rewrapped = 0; ; ) {
    rewrapped += await rewrapAll(deps, current, next);
    if (retain_previous) return { rewrapped, finished: false };
    if (await finish(deps, next)) return { rewrapped, finished: true };
  }
}

/**
 * Cancels an unfinished change and keeps the old key. Throws `rekey_conflict` when there is no change or it is too
 * late.
 */
export async function abandonRekey({ database }: RekeyDeps): Promise<void> {
  await database.transaction(async (tx) => {
    const { active, incoming } = await lockKeyChecks(tx);
    if (!active || !incoming) throw VaultErrors.rekeyConflict('no master key change is in progress');
    const only = await keysNotWrappedBy(tx, incoming.master_id, active.master_id, 1);
    if (only[0])
      throw VaultErrors.rekeyConflict(`org ${only[0].org_id} already has a key that only the new master key opens`);
    await deleteWrapsBy(tx, incoming.master_id);
    await deleteIncoming(tx);
  });
}

/** Stores both check values. True when the change was complete already. */
async function begin({ database }: RekeyDeps, current: MasterKey, next: MasterKey): Promise<boolean> {
  return database.transaction(async (tx) => {
    const checks = await lockKeyChecks(tx);
    if (checks.active && isSameCheck(next, checks.active.check_value)) {
      if (!checks.incoming) return true;
      throw VaultErrors.rekeyConflict('the new key is the current one, and a change to another key is in progress');
    }
    assertRekeyAllowed(checks, current, next);
    if (!checks.incoming) await insertKeyCheck(tx, 'incoming', next, database.now());
    return false;
  });
}

function assertRekeyAllowed({ active, incoming }: KeyChecks, current: MasterKey, next: MasterKey): void {
  if (incoming && !isSameCheck(next, incoming.check_value))
    throw VaultErrors.rekeyConflict('a change to another new key is in progress');
  const is_current = active && isSameCheck(current, active.check_value);
  if (!is_current && !(incoming && isSameCheck(current, incoming.check_value)))
    throw VaultErrors.masterKeyWrong("the current master key is not the database's key");
}

async function rewrapAll(deps: RekeyDeps, current: MasterKey, next: MasterKey): Promise<number> {
  const { active } = await readKeyChecks(deps.database);
  for (let rewrapped = 0; ; ) {
    const batch = await keysNotWrappedBy(deps.database, active!.master_id, next.id, BATCH);
    if (batch.length === 0) return rewrapped;
    if (active!.master_id !== current.id)
      throw VaultErrors.rekeyConflict(
        'some keys can still be opened only with the old master key; start with it as the master key',
      );
    const wraps = batch.map((row) => rewrap(deps, row, current, next));
    await deps.database.transaction(async (tx) => insertWraps(tx, wraps));
    failpoint('vault.rekey.wrapped');
    rewrapped += batch.length;
  }
}

function rewrap({ ids, database }: RekeyDeps, row: WrappedKey, current: MasterKey, next: MasterKey): WrappedKey {
  const key = unwrapOrgKey(current, row.org_id, row.version, row.wrapped);
  if (!key) throw VaultErrors.sealedValueUnreadable(`key ${row.version} of org ${row.org_id} was altered or moved`);
  const wrapped = wrapOrgKey(next, row.org_id, row.version, ids.bytes(NONCE_BYTES), key);
  return { ...row, master_id: next.id, wrapped, created_at: database.now() };
}

/** Runs under the lock: an abandoned change, or one that another process finished, must not write anything. */
async function insertWraps(tx: Transaction, wraps: readonly WrappedKey[]): Promise<void> {
  const { active, incoming } = await lockKeyChecks(tx);
  const next_id = wraps[0]!.master_id;
  if (active?.master_id === next_id) return;
  if (incoming?.master_id !== next_id) throw VaultErrors.rekeyConflict('another operator abandoned this change');
  for (const wrap of wraps) {
    await insertOrgKey(tx, wrap);
    failpoint('vault.rekey.wrapping');
  }
}

/** False when a server created a new org key meanwhile; that key must be wrapped first. */
async function finish({ database }: RekeyDeps, next: MasterKey): Promise<boolean> {
  return database.transaction(async (tx) => {
    const { active, incoming } = await lockKeyChecks(tx);
    if (active?.master_id === next.id) return true;
    if (incoming?.master_id !== next.id) throw VaultErrors.rekeyConflict('another operator abandoned this change');
    const unwrapped = await keysNotWrappedBy(tx, active!.master_id, next.id, 1);
    if (unwrapped.length > 0) return false;
    await deleteWrapsBy(tx, active!.master_id);
    failpoint('vault.rekey.finishing');
    await promoteIncoming(tx, incoming as KeyCheck, database.now());
    return true;
  });
}
