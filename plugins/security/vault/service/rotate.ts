import type { Database, Ids } from '../../../../kernel/contracts/index.ts';
import { KEY_BYTES, NONCE_BYTES } from '../domain/envelope.ts';
import { wrapOrgKey } from '../domain/master-key.ts';
import { VaultErrors } from '../errors.ts';
import { bumpGeneration, lockKeyChecks } from '../store/key-checks.ts';
import { insertOrgKey, readOrgKeys } from '../store/org-keys.ts';
import type { Master } from './master.ts';

/**
 * A new version is used for sealing only after every server had six chances to load it, so that no server meets a value
 * that it cannot open.
 */
export const ACTIVATION_MS = 30_000;

/**
 * Adds the next version of an org's key. Old values stay readable. Answers the version and when sealing with it begins.
 */
export async function rotateOrgKey(
  deps: { database: Database; ids: Ids },
  master: Master,
  org_id: string,
): Promise<{ version: number; usable_from: number }> {
  const { database, ids } = deps;
  return database.transaction(async (tx) => {
    const checks = await lockKeyChecks(tx);
    if (checks.incoming || checks.active?.master_id !== master.key.id)
      throw VaultErrors.rekeyConflict('the master key is being changed; finish that before rotating org keys');
    const version = Math.max(0, ...(await readOrgKeys(tx, org_id)).map((key) => key.version)) + 1;
    const now = database.now();
    const usable_from = version === 1 ? 0 : now + ACTIVATION_MS;
    const wrapped = wrapOrgKey(master.key, org_id, version, ids.bytes(NONCE_BYTES), ids.bytes(KEY_BYTES));
    await insertOrgKey(tx, { org_id, version, master_id: master.key.id, wrapped, usable_from, created_at: now });
    await bumpGeneration(tx);
    return { version, usable_from };
  });
}
