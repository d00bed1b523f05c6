import { inList, type Transaction } from '../../../kernel/contracts/index.ts';
import { grantFor } from './call-usage.ts';

export interface LogPlace {
  project_id: string;
  untrusted: boolean;
}

/**
 * So much of each log of a trusted run is not counted for its project: most print less, and write no row that others write
 * too. Of untrusted ones all is counted, because a stranger's runs may be any number.
 */
export const FREE_BYTES = { trusted: 64 * 1024, untrusted: 0 };
/** What a log of a trusted run takes from its project at once. */
const GRANT_BYTES = 1024 * 1024;

/**
 * Takes at least so much of what a project has for logs, and more if there is more, for a log that has `granted`. Answers how
 * much was taken: 0 when there is not enough left.
 */
export async function takeFromProject(
  tx: Transaction,
  { granted, ...place }: LogPlace & { granted: number },
  least: number,
  most_of_project: number,
): Promise<number> {
  const wanted = place.untrusted ? grantFor(least, granted) : Math.ceil(least / GRANT_BYTES) * GRANT_BYTES;
  for (const bytes of [wanted, least])
    if (await take(tx, place, bytes, Math.min(most_of_project, Number.MAX_SAFE_INTEGER))) return bytes;
  return 0;
}

async function take(
  tx: Transaction,
  { project_id, untrusted }: LogPlace,
  bytes: number,
  most: number,
): Promise<boolean> {
  if (bytes > most) return false;
  const flag = untrusted ? 1 : 0;
  const add = () =>
    tx.write('UPDATE runs_log_usage SET bytes = bytes + ? WHERE project_id = ? AND untrusted = ? AND bytes <= ?', [
      ...[bytes, project_id, flag, most - bytes],
    ]);
  if ((await add()) === 1) return true;
  const first = await tx.write(
    `${tx.sql.insert_ignore} runs_log_usage (project_id, untrusted, bytes) VALUES (?, ?, 0)`,
    [project_id, flag],
  );
  return first === 1 && (await add()) === 1;
}

interface Taken {
  run_id: string;
  project_id: string | null;
  untrusted: number;
  granted: number;
}

/** Removes the heads of logs whose chunks are gone, and gives back what these had taken. Answers how many. */
export async function removeHeads(tx: Transaction, run_ids: readonly string[]): Promise<number> {
  const list = inList(run_ids);
  const heads = await tx.lock<Taken>({
    table: 'runs_log_heads',
    key: ['run_id'],
    columns: 'run_id, project_id, untrusted, granted',
    where: `run_id IN ${list.marks}`,
    params: list.params,
  });
  if (heads.length === 0) return 0;
  const given = Map.groupBy(
    heads.filter(({ granted }) => granted > 0),
    ({ project_id, untrusted }) => `${untrusted} ${project_id}`,
  );
  for (const [, same] of [...given].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { project_id, untrusted } = same[0]!;
    const bytes = same.reduce((sum, { granted }) => sum + granted, 0);
    await tx.write('UPDATE runs_log_usage SET bytes = bytes - ? WHERE project_id = ? AND untrusted = ?', [
      ...[bytes, project_id, untrusted],
    ]);
  }
  await tx.write(`DELETE FROM runs_log_heads WHERE run_id IN ${list.marks}`, list.params);
  tx.settled(
    'runs_log_heads',
    heads.map(({ run_id }) => [run_id]),
  );
  return heads.length;
}
