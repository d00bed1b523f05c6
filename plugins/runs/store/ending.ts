import type { Transaction } from '../../../kernel/contracts/index.ts';
import type { Json } from '../contract.ts';
import type { Ending } from '../domain/lifecycle.ts';
import type { StoreParts } from './parts.ts';
import type { LockedRun } from './run-columns.ts';
import { sealed } from './sealing.ts';
import { parseJson } from './run-rows.ts';

interface EndedRow {
  activity_id: string;
  name: string;
  state: string;
  output: Buffer | null;
  error_code: string | null;
  error_message: string | null;
}

/**
 * The result of a run whose activities have all ended: failed with the first failure; otherwise the output of its only
 * activity, or the outputs of several by their names. Children do not count.
 */
export async function runEnding(tx: Transaction, store: StoreParts, run: LockedRun): Promise<Ending> {
  const rows = await tx.read<EndedRow>(
    `SELECT activity_id, name, state, output, error_code, error_message FROM runs_activities
     WHERE run_id = ? AND parent IS NULL ORDER BY finished_at, activity_id`,
    [run.run_id],
  );
  const failed = rows.find(({ state }) => state === 'failed');
  if (failed) return { status: 'failed', code: failed.error_code ?? 'failed', message: failed.error_message ?? '' };
  const output = (row: EndedRow): Json => {
    if (row.output === null) return null;
    return parseJson(store.sealer.open(sealed.activityOutput(run, row.activity_id), row.output).toString());
  };
  if (rows.length === 1) return { status: 'succeeded', output: output(rows[0]!) };
  return { status: 'succeeded', output: Object.fromEntries(rows.map((row) => [row.name, output(row)])) };
}
