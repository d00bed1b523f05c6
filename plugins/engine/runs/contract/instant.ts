import { token } from '../../../../kernel/contracts/index.ts';
import type { Capabilities, Claimed } from './journal.ts';
import type { SlotUse } from './slots.ts';

/** A claimer in this server, such as an agent's session, that can get an activity in the transaction that makes it claimable. */
export interface InstantClaimer extends Capabilities {
  executors: readonly string[];
  lease_ms: number;
  /** How many activities it can get now. 0 while older work may be waiting for it. */
  readonly room: number;
  /** How many of them may belong to untrusted runs. 0 while any other work may be waiting for it; absent: all. */
  readonly untrusted_room?: number;
  /** Share of its slots in use, from 0 to 1. The least loaded claimer with a free slot gets the activity. */
  readonly load: number;
  /**
   * True if the claimer retains the program of this parked activity. With a free slot, it then gets the activity even if others
   * are less loaded.
   */
  retains?(activity_id: string): boolean;
  /** Called after the commit, once for each activity. `load` returns undefined if the activity cannot run any more. */
  claimed(load: () => Promise<Claimed | undefined>, taken: SlotUse): void;
}

/**
 * If a claimer of this process has a free slot, an activity is claimed in the transaction that adds or wakes it. That saves a poll
 * and a commit. All other activities are claimed by polling, and so are claims that did not reach their claimer.
 */
export interface InstantClaims {
  /** Registers a claimer. Call the returned function to remove it. */
  join(claimer: InstantClaimer): () => void;
}

export const InstantClaims = token<InstantClaims>('runs.InstantClaims');
