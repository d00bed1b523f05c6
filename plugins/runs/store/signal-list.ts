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

/** What was sent to a run, the newest first. */
export function readSignals(on: Reader, run_id: string, { state, before, limit }: Selection): Promise<SignalRow[]> {
  const conditions: [string, Param][] = [['run_id = ?', run_id]];
  if (state !== undefined) conditions.push(['state = ?', state]);
  if (before !== undefined) conditions.push(['seq < ?', before]);
  return on.read(
    `SELECT seq, name, state, sent_at, taken_at FROM runs_signals
     WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY seq DESC LIMIT ${Math.trunc(limit)}`,
    conditions.map(([, value]) => value),
  );
}
