import type { JournalRecord } from '../../../engine/runs/contract.ts';

/** A durable call, as a dry replay identifies it. */
export type ReplayedCall = Pick<JournalRecord, 'kind' | 'name' | 'ordinal'>;

/**
 * Watches a replay that executes nothing: it reads the journal, and the pass ends as soon as the program diverges
 * from it. Line numbers are of the lines that may contain the call.
 */
export interface DryReplay {
  /** The program reached a recorded call. */
  onRecorded(record: ReplayedCall): void;
  /**
   * The program reached another call, or ended if `present` is undefined. The arguments of `recorded` stand in the
   * journal.
   */
  onDivergence(recorded: ReplayedCall, present: (ReplayedCall & { lines: readonly number[] }) | undefined): void;
  /** The program reached a call after the last record. */
  onNewCall(call: ReplayedCall & { lines: readonly number[] }): void;
}
