import type { Transaction } from '../../../../kernel/contracts/index.ts';
import { HOUR_MS } from '../domain/limits.ts';

interface Issued {
  hour_began_at: number;
  issued: number;
}

/** Counts a token of a run, and returns how many it was issued in this hour. The run must be locked. */
export async function countToken(tx: Transaction, run_id: string, now: number): Promise<Issued> {
  const [row] = await tx.read<Issued>('SELECT hour_began_at, issued FROM id_tokens_issued WHERE run_id = ?', [run_id]);
  if (row === undefined) {
    const first = { hour_began_at: now, issued: 1 };
    await tx.write('INSERT INTO id_tokens_issued (run_id, hour_began_at, issued) VALUES (?, ?, 1)', [run_id, now]);
    return first;
  }
  const { hour_began_at, issued } = row;
  const counted =
    now >= hour_began_at + HOUR_MS ? { hour_began_at: now, issued: 1 } : { hour_began_at, issued: issued + 1 };
  await tx.write('UPDATE id_tokens_issued SET hour_began_at = ?, issued = ? WHERE run_id = ?', [
    counted.hour_began_at,
    counted.issued,
    run_id,
  ]);
  return counted;
}
