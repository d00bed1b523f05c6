import type { Param } from '../../../kernel/contracts/index.ts';
import type { SentSignal } from '../contract.ts';
import type { Reader } from './parts.ts';

export type SentState = SentSignal['state'];

interface SignalRow {
  seq: number;
  name: string;
  state: SentState;
  /** Epoch ms. */
  sent_at: number;
  taken_at: number | null;
}

interface Selection {
  state: SentState | undefined;
  /** Of the last one of the page before. */
  before: number | undefined;
  limit: number;
}

/** Signals that one request looks at for those of a state. */
const REACH = 20_000;

/**
 * What was sent to a run, the newest first. `looked_to`: the search ended before this one, and older ones may match.
 */
export async function readSignals(
  on: Reader,
  run_id: string,
  { state, before, limit }: Selection,
  reach = REACH,
): Promise<{ rows: SignalRow[]; looked_to?: number }> {
  const conditions: [string, Param][] = [['run_id = ?', run_id]];
  if (before !== undefined) conditions.push(['seq < ?', before]);
  const ordered = (columns: string, most: number) =>
    on.read<SignalRow>(
      `SELECT ${columns} FROM runs_signals
       WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY seq DESC LIMIT ${Math.trunc(most)}`,
      conditions.map(([, value]) => value),
    );
  // The number of a signal says how far a search has come.
  const [newest] = state === undefined ? [] : await ordered('seq', 1);
  const looked_to = newest && newest.seq > reach ? newest.seq - reach + 1 : undefined;
  if (state !== undefined) conditions.push(['state = ?', state]);
  if (looked_to !== undefined) conditions.push(['seq >= ?', looked_to]);
  const rows = await ordered('seq, name, state, sent_at, taken_at', limit);
  return { rows, ...(looked_to !== undefined && { looked_to }) };
}
