import { token } from '../../../../kernel/contracts/index.ts';
import type { Capabilities, Claimed } from './journal.ts';
import type { SlotUse } from './slots.ts';

/** Part of this server that can begin work at the moment of its creation. */
export interface InstantClaimer extends Capabilities {
  executors: readonly string[];
  lease_ms: number;
  /** How many activities it can take now: none while older work may wait for it. */
  readonly room: number;
  /** How many of them may belong to untrusted runs: none while any other work may wait for it. Absent: all. */
  readonly untrusted_room?: number;
  /** Share of its places in use, 0 to 1. Of several with room, the least loaded takes an activity. */
  readonly load: number;
  /** True when it has kept what an activity had done before its wait. If it has room, it gets such an activity. */
  retains?(activity_id: string): boolean;
  /** Called after the commit, once for each activity. `load` answers undefined for one that cannot run any more. */
  claimed(load: () => Promise<Claimed | undefined>, taken: SlotUse): void;
}

/**
 * Activities are claimed in the transaction that adds them, when somebody connected to this process has room: that saves
 * the look for work and a commit. All others are claimed as usual, and so is what was taken and not begun.
 */
export interface InstantClaims {
  /** Answers how to leave. */
  join(claimer: InstantClaimer): () => void;
}

export const InstantClaims = token<InstantClaims>('runs.InstantClaims');
