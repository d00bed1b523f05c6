import type { Queries, Transaction } from '../../../../kernel/contracts/index.ts';
import type { MasterKey } from '../domain/master-key.ts';

export interface KeyCheck {
  master_id: string;
  check_value: Buffer;
  /** Rises with every rotation of an org key and every change of the master key. */
  generation: number;
}

export interface KeyChecks {
  active?: KeyCheck;
  /** Set while the master key is being changed. */
  incoming?: KeyCheck;
}

const COLUMNS = 'slot, master_id, check_value, generation';

export async function readKeyChecks(queries: Pick<Queries, 'read'>): Promise<KeyChecks> {
  const rows = await queries.read<KeyCheck & { slot: 'active' | 'incoming' }>(
    `SELECT ${COLUMNS} FROM vault_key_checks`,
  );
  return Object.fromEntries(rows.map((row) => [row.slot, row]));
}

/**
 * Locks the row `active` until the transaction ends. Creating an org key, rotating one and changing the master key all
 * take this lock first, so they are serialised across servers. The row is never deleted.
 */
export async function lockKeyChecks(tx: Transaction): Promise<KeyChecks> {
  const active = { columns: 'slot', where: 'slot = ?', params: ['active'] };
  await tx.lock({ table: 'vault_key_checks', key: ['slot'], ...active });
  return readKeyChecks(tx);
}

/** False when the slot is taken: the caller must read and compare. */
export async function insertKeyCheck(
  queries: Queries,
  slot: 'active' | 'incoming',
  key: MasterKey,
  now: number,
): Promise<boolean> {
  const inserted = await queries.write(
    `${queries.sql.insert_ignore} vault_key_checks (slot, master_id, check_value, generation, created_at) VALUES (?, ?, ?, 0, ?)`,
    [slot, key.id, key.check, now],
  );
  return inserted === 1;
}

export async function bumpGeneration(tx: Transaction): Promise<void> {
  await tx.write("UPDATE vault_key_checks SET generation = generation + 1 WHERE slot = 'active'");
}

/** Makes the incoming key the active one. */
export async function promoteIncoming(tx: Transaction, incoming: KeyCheck, now: number): Promise<void> {
  await tx.write(
    "UPDATE vault_key_checks SET master_id = ?, check_value = ?, generation = generation + 1, created_at = ? WHERE slot = 'active'",
    [incoming.master_id, incoming.check_value, now],
  );
  await deleteIncoming(tx);
}

export async function deleteIncoming(tx: Transaction): Promise<void> {
  await tx.write("DELETE FROM vault_key_checks WHERE slot = 'incoming'");
}
