import type { Param } from '../../../../../kernel/contracts/index.ts';
import type { SignalFilter, StoredSignal } from '../../contract.ts';
import type { Reader } from '../rows/context.ts';

/** How many signals one request searches for those of a state. */
const MAX_SEARCHED = 20_000;

/** What was sent to a run, the newest first. `searched_to`: the search ended before this signal, and older ones may match. */
export async function readSignals(
  on: Reader,
  run_id: string,
  { state, before, limit }: SignalFilter,
  max_searched = MAX_SEARCHED,
): Promise<{ signals: StoredSignal[]; searched_to?: number }> {
  const conditions: [string, Param][] = [['run_id = ?', run_id]];
  if (before !== undefined) conditions.push(['seq < ?', before]);
  const ordered = (columns: string, most: number) =>
    on.read<StoredSignal>(
      `SELECT ${columns} FROM runs_signals
       WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY seq DESC LIMIT ${Math.trunc(most)}`,
      conditions.map(([, value]) => value),
    );
  // The number of a signal says how far a search has come.
  const [newest] = state === undefined ? [] : await ordered('seq', 1);
  const searched_to = newest && newest.seq > max_searched ? newest.seq - max_searched + 1 : undefined;
  if (state !== undefined) conditions.push(['state = ?', state]);
  if (searched_to !== undefined) conditions.push(['seq >= ?', searched_to]);
  const signals = await ordered('seq, name, state, sent_at, taken_at, sent_by, decision', limit);
  return { signals, ...(searched_to !== undefined && { searched_to }) };
}
