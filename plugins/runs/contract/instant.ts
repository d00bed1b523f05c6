import { token } from '../../../kernel/contracts/index.ts';
import type { Capabilities, Claimed } from './journal.ts';

/** Part of this server that can begin work at the moment of its creation. */
export interface InstantClaimer extends Capabilities {
  executors: readonly string[];
  lease_ms: number;
  /** How many activities it can take now. */
  readonly room: number;
  /** Called after the commit, once for each activity. `load` answers undefined for one that cannot run any more. */
  claimed(load: () => Promise<Claimed | undefined>): void;
}

/**
 * Activities of coordinated runs are claimed in the transaction that adds them, when somebody in this process has room:
 * that saves the look for work and a commit. All others are claimed as usual, and so is what was taken and not begun.
 */
export interface InstantClaims {
  /** Answers how to leave. */
  join(claimer: InstantClaimer): () => void;
}

export const InstantClaims = token<InstantClaims>('runs.InstantClaims');
