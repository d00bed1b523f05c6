import type { Queries } from '../../../../kernel/contracts/index.ts';

/** Tries to acquire the lease of a prunable until `until`. Returns true for one server only. */
export async function acquireLease(on: Queries, name: string, now: number, until: number): Promise<boolean> {
  await on.write(`${on.sql.insert_ignore} retention_turns (name, next_at) VALUES (?, 0)`, [name]);
  const acquired = await on.write('UPDATE retention_turns SET next_at = ? WHERE name = ? AND next_at <= ?', [
    until,
    name,
    now,
  ]);
  return acquired === 1;
}

/** Sets the time at which the lease ends. Only its holder may call this. */
export async function setLeaseEnd(on: Queries, name: string, next_at: number): Promise<void> {
  await on.write('UPDATE retention_turns SET next_at = ? WHERE name = ?', [next_at, name]);
}
