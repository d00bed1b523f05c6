/** An activity for which an agent has a slot. */
export interface SlotUse {
  activity_id: string;
  run_id: string;
  project_id: string;
  trusted: boolean;
}

/** The runs and projects that use all slots that their limits allow. */
export interface FullSlots {
  runs: readonly string[];
  projects: readonly string[];
}

/** Counts the slots that runs and projects use at the agents of this server. A claim skips runs and projects at their limit. */
export interface SlotBounds {
  /**
   * Counts a slot for the activity. Returns false if its run or its project is at its limit. With `for_ms`, the slot counts only
   * for this time unless the activity is delivered, because nobody gives it back if the transaction is rolled back.
   */
  take(use: SlotUse, for_ms?: number): boolean;
  /** Stops counting the activity, because its claim did not succeed. */
  giveBack(activity_id: string): void;
  /** Returns the runs and projects that are at their limit for trusted or for untrusted work. */
  full(work: Pick<SlotUse, 'trusted'>): FullSlots;
}
