import { inList, type Transaction } from '../../../kernel/contracts/index.ts';

/**
 * What a run takes from its project at once, at least and at most; in between as much as it has. Few calls write a row that others
 * write too, and small runs, of which there are most, keep little that they do not use.
 */
export const GRANT_BYTES = { least: 16 * 1024, most: 1024 * 1024 };

/** So much more that there is enough, in whole steps. */
export function grantFor(needed: number, granted: number): number {
  const step = Math.min(Math.max(granted, GRANT_BYTES.least), GRANT_BYTES.most);
  return Math.ceil(needed / step) * step;
}

interface Place {
  run_id: string;
  project_id: string;
}

/**
 * Takes at least so much of what a project has for the calls of untrusted runs, and more if there is more, for a run that has
 * `granted`. Answers how much was taken: 0 when there is not enough left.
 */
export async function takeForCalls(
  tx: Transaction,
  { granted, ...place }: Place & { granted: number },
  least: number,
  most: number,
): Promise<number> {
  const bound = Math.min(most, Number.MAX_SAFE_INTEGER);
  for (const bytes of [grantFor(least, granted), least])
    if (await take(tx, place.project_id, bytes, bound)) {
      await note(tx, place, bytes);
      return bytes;
    }
  return 0;
}

async function take(tx: Transaction, project_id: string, bytes: number, most: number): Promise<boolean> {
  if (bytes > most) return false;
  const add = () =>
    tx.write('UPDATE runs_call_usage SET bytes = bytes + ? WHERE project_id = ? AND bytes <= ?', [
      ...[bytes, project_id, most - bytes],
    ]);
  if ((await add()) === 1) return true;
  const first = await tx.write(`${tx.sql.insert_ignore} runs_call_usage (project_id, bytes) VALUES (?, 0)`, [
    project_id,
  ]);
  return first === 1 && (await add()) === 1;
}

/** The row of `runs_untrusted` is locked, so that nobody else writes this one. */
async function note(tx: Transaction, { run_id, project_id }: Place, bytes: number): Promise<void> {
  const more = await tx.write('UPDATE runs_call_grants SET bytes = bytes + ? WHERE run_id = ?', [bytes, run_id]);
  if (more === 1) return;
  await tx.write('INSERT INTO runs_call_grants (run_id, project_id, bytes) VALUES (?, ?, ?)', [
    run_id,
    project_id,
    bytes,
  ]);
}

/** Gives back what runs that are removed had taken. Answers how many rows went. */
export async function giveBackCalls(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const grants = await tx.read<Place & { bytes: number }>(
    `SELECT run_id, project_id, bytes FROM runs_call_grants WHERE run_id IN ${list.marks}`,
    list.params,
  );
  const given = new Map<string, number>();
  // Another server may be removing it too.
  for (const { run_id, project_id, bytes } of grants)
    if ((await tx.write('DELETE FROM runs_call_grants WHERE run_id = ?', [run_id])) === 1)
      given.set(project_id, (given.get(project_id) ?? 0) + Number(bytes));
  for (const [project_id, bytes] of [...given].sort(([a], [b]) => (a < b ? -1 : 1)))
    await tx.write('UPDATE runs_call_usage SET bytes = bytes - ? WHERE project_id = ?', [bytes, project_id]);
  return grants.length;
}
