import { inList, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Json } from '../contract.ts';
import type { Ending } from '../domain/lifecycle.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { sealed } from './sealing.ts';
import { parseJson } from './run-rows.ts';

interface EndedRow {
  run_id: string;
  activity_id: string;
  name: string;
  state: string;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
}

/**
 * The results of runs whose activities have all ended, by their ids: failed with the first failure; otherwise the output of
 * the only activity, or the outputs of several by their names. Children do not count.
 */
export async function runEndings(
  tx: Pick<Transaction, 'read'>,
  store: Pick<StoreParts, 'sealer'>,
  runs: readonly LockedRun[],
): Promise<Map<string, Ending>> {
  const list = inList(runs.map(({ run_id }) => run_id));
  const rows = await tx.read<EndedRow>(
    `SELECT run_id, activity_id, name, state, output, error_code, error_message FROM runs_activities
     WHERE run_id IN ${list.marks} AND parent IS NULL ORDER BY finished_at, activity_id`,
    list.params,
  );
  const ended = Map.groupBy(rows, ({ run_id }) => run_id);
  return new Map(runs.map((run) => [run.run_id, endingOf(store, run, ended.get(run.run_id) ?? [])]));
}

function endingOf(store: Pick<StoreParts, 'sealer'>, run: LockedRun, rows: readonly EndedRow[]): Ending {
  const failed = rows.find(({ state }) => state === 'failed');
  if (failed) return { status: 'failed', code: failed.error_code ?? 'failed', message: failed.error_message ?? '' };
  const output = (row: EndedRow): Json => {
    if (row.output === null) return null;
    return parseJson(store.sealer.open(sealed.activityOutput(run, row.activity_id), row.output).toString());
  };
  if (rows.length === 1) return { status: 'succeeded', output: output(rows[0]!) };
  return { status: 'succeeded', output: Object.fromEntries(rows.map((row) => [row.name, output(row)])) };
}
