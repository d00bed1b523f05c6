/** An activity for which an agent has a slot. */
export interface SlotUse {
  activity_id: string;
  run_id: string;
  org_id: string;
  project_id: string;
  trusted: boolean;
}

/** The orgs, runs and projects that use all slots that their limits allow. */
export interface FullSlots {
  /** Only where a worker serves several orgs. */
  orgs?: readonly string[];
  runs: readonly string[];
  projects: readonly string[];
}

/** Counts the slots that orgs, runs and projects use at the agents of this server. A claim skips those at their limit. */
export interface SlotBounds {
  /**
   * Counts a slot for the activity. Returns false if its org, run or project is at its limit. With `for_ms`, the slot counts only
   * for this time unless the activity is delivered, because nobody gives it back if the transaction is rolled back.
   */
  take(use: SlotUse, for_ms?: number): boolean;
  /** Stops counting the activity, because its claim did not succeed. */
  giveBack(activity_id: string): void;
  /** Returns the orgs, runs and projects that are at their limit for trusted or for untrusted work. */
  full(work: Pick<SlotUse, 'trusted'>): FullSlots;
}
