import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';

/** One org key under one master key. */
export interface WrappedKey {
  org_id: string;
  version: number;
  master_id: string;
  wrapped: Buffer;
  /** Epoch ms from which new values are sealed with this key. Opening works before. */
  usable_from: number;
  created_at: number;
}

const COLUMNS = 'org_id, version, master_id, wrapped, usable_from, created_at';

/** Every version under every master key, oldest first. */
export function readOrgKeys(queries: Queries, org_id: string): Promise<WrappedKey[]> {
  return queries.read<WrappedKey>(
    `SELECT ${COLUMNS} FROM vault_org_keys WHERE org_id = ? ORDER BY version, master_id`,
    [org_id],
  );
}

/** False when this version already exists under this master key. */
export async function insertOrgKey(queries: Queries, key: WrappedKey): Promise<boolean> {
  const inserted = await queries.write(
    `${queries.sql.insert_ignore} vault_org_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
    [key.org_id, key.version, key.master_id, key.wrapped, key.usable_from, key.created_at],
  );
  return inserted === 1;
}

/** Orgs that have a key, in order of id, after `after`. */
export async function orgsWithKeys(queries: Queries, after: string, limit: number): Promise<string[]> {
  const rows = await queries.read<{ org_id: string }>(
    `SELECT DISTINCT org_id FROM vault_org_keys WHERE org_id > ? ORDER BY org_id LIMIT ${Math.trunc(limit)}`,
    [after],
  );
  return rows.map((row) => row.org_id);
}

/** Keys that are wrapped by `from` and not yet by `to`. */
export function keysNotWrappedBy(queries: Queries, from: string, to: string, limit: number): Promise<WrappedKey[]> {
  const columns = COLUMNS.split(', ').map((column) => `held.${column}`);
  return queries.read<WrappedKey>(
    `SELECT ${columns.join(', ')} FROM vault_org_keys held
     LEFT JOIN vault_org_keys other
       ON other.org_id = held.org_id AND other.version = held.version AND other.master_id = ?
     WHERE held.master_id = ? AND other.org_id IS NULL
     ORDER BY held.org_id, held.version LIMIT ${Math.trunc(limit)}`,
    [to, from],
  );
}

export async function deleteWrapsBy(tx: Transaction, master_id: string): Promise<number> {
  return tx.write('DELETE FROM vault_org_keys WHERE master_id = ?', [master_id]);
}
