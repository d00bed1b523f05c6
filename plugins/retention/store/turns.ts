import type { Queries } from '../../../kernel/contracts/index.ts';

/** True for the one server whose turn it is; no other server gets it before `until`. */
export async function takeTurn(on: Queries, name: string, now: number, until: number): Promise<boolean> {
  await on.write(`${on.sql.insert_ignore} retention_turns (name, next_at) VALUES (?, 0)`, [name]);
  const taken = await on.write('UPDATE retention_turns SET next_at = ? WHERE name = ? AND next_at <= ?', [
    until,
    name,
    now,
  ]);
  return taken === 1;
}

/** Called by the holder. */
export async function setTurn(on: Queries, name: string, next_at: number): Promise<void> {
  await on.write('UPDATE retention_turns SET next_at = ? WHERE name = ?', [next_at, name]);
}
