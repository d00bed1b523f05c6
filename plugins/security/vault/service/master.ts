import { join } from 'node:path';
import type { Database, Ids, Settings } from '../../../../kernel/contracts/index.ts';
import { isSameCheck, type MasterKey, masterKey, parseMasterKey } from '../domain/master-key.ts';
import { VaultErrors } from '../errors.ts';
import { insertKeyCheck, type KeyChecks, readKeyChecks } from '../store/key-checks.ts';
import { createKeyFile, moveKeyFile, readKeyFile } from './key-file.ts';

export interface MasterDeps {
  settings: Settings;
  database: Database;
  ids: Ids;
}

/** The master key of this process and where it came from. */
export interface Master {
  key: MasterKey;
  source: 'variable' | 'file' | 'memory';
}

export const keyFilePath = (home: string): string => join(home, 'master.key');
/** The file that holds the new key during `svc admin rekey` with a key file. */
export const pendingKeyFilePath = (home: string): string => join(home, 'master.key.new');

export const isActive = (checks: KeyChecks, key: MasterKey): boolean =>
  checks.active !== undefined && isSameCheck(key, checks.active.check_value);

export const isIncoming = (checks: KeyChecks, key: MasterKey): boolean =>
  checks.incoming !== undefined && isSameCheck(key, checks.incoming.check_value);

/**
 * Finds the master key and compares it with the check value in the database, which the first start writes. Throws
 * `master_key_missing`, `master_key_invalid`, `master_key_exposed`, `master_key_wrong`.
 */
export async function loadMaster(deps: MasterDeps): Promise<Master> {
  const before = await readKeyChecks(deps.database);
  const master = await findKeyOf(deps, before);
  if (before.active === undefined) await insertKeyCheck(deps.database, 'active', master.key, deps.database.now());
  const checks = before.active === undefined ? await readKeyChecks(deps.database) : before;
  if (isActive(checks, master.key) || isIncoming(checks, master.key)) return master;
  const recovered = await recoverKeyFile(deps, master, checks);
  if (recovered) return recovered;
  throw VaultErrors.masterKeyWrong(explainWrong(deps.settings, checks));
}

/** Finds the key of this process. A key file is created only for a database that has no key yet. */
export async function findKeyOf(
  { settings, ids }: Pick<MasterDeps, 'settings' | 'ids'>,
  checks: KeyChecks,
): Promise<Master> {
  const text = settings.env.SVC_MASTER_KEY;
  if (text !== undefined && text !== '')
    return { key: masterKey(parseNamed(text, 'SVC_MASTER_KEY')), source: 'variable' };
  if (settings.database_url === 'sqlite::memory:') return { key: masterKey(ids.bytes(32)), source: 'memory' };
  if (!settings.database_url.startsWith('sqlite:') || settings.home === undefined)
    throw VaultErrors.masterKeyMissing('SVC_MASTER_KEY is not set');
  const path = keyFilePath(settings.home);
  const existing = await readKeyFile(path);
  if (existing) return { key: masterKey(existing), source: 'file' };
  if (checks.active !== undefined)
    throw VaultErrors.masterKeyMissing(
      `SVC_MASTER_KEY is not set and ${path} does not exist, but the data is sealed with a key`,
    );
  return { key: masterKey(await createKeyFile(path, ids.bytes(32), ids)), source: 'file' };
}

/** Parses a key. Throws `master_key_invalid`, whose message names the source of the text and never the text. */
export function parseNamed(text: string, origin: string): Buffer {
  const key = parseMasterKey(text);
  if (!key) throw VaultErrors.masterKeyInvalid(`${origin} does not contain 32 bytes in base64`);
  return key;
}

/** Finishes a rekey that was killed after the database changed and before the key file did. */
async function recoverKeyFile(
  { settings }: MasterDeps,
  master: Master,
  checks: KeyChecks,
): Promise<Master | undefined> {
  if (master.source !== 'file' || settings.home === undefined) return undefined;
  const pending = await readKeyFile(pendingKeyFilePath(settings.home));
  if (!pending || !isActive(checks, masterKey(pending))) return undefined;
  await moveKeyFile(pendingKeyFilePath(settings.home), keyFilePath(settings.home));
  return { key: masterKey(pending), source: 'file' };
}

function explainWrong(settings: Settings, checks: KeyChecks): string {
  const source_name = settings.env.SVC_MASTER_KEY ? 'SVC_MASTER_KEY' : 'the master key file';
  const next = parseMasterKey(settings.env.SVC_NEW_MASTER_KEY ?? '');
  if (next && isActive(checks, masterKey(next)))
    return `${source_name} contains the old key: the change to SVC_NEW_MASTER_KEY is complete; use that key instead`;
  return `${source_name} is not the key that this database is sealed with`;
}
