import type { JournalRecord } from '../../runs/contract.ts';

/** A durable call, as a dry replay names it. */
export type ReplayedCall = Pick<JournalRecord, 'kind' | 'name' | 'ordinal'>;

/**
 * Watches a replay that carries out nothing: it reads the journal, and the pass ends as soon as the program does something
 * that is not in it. Numbers of lines are of those that may hold the call.
 */
export interface DryReplay {
  /** The program came to a call that is recorded. */
  read(record: ReplayedCall): void;
  /** It came to another call, or `present` is undefined: it ended. The journal has these arguments otherwise. */
  differs(recorded: ReplayedCall, present: (ReplayedCall & { lines: readonly number[] }) | undefined): void;
  /** It came to a call behind the last record. */
  beyond(call: ReplayedCall & { lines: readonly number[] }): void;
}
