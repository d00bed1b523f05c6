/** An activity for which an agent has a slot. */
export interface SlotUse {
  activity_id: string;
  run_id: string;
  project_id: string;
  trusted: boolean;
}

/** What has as many slots as it may. */
export interface FullSlots {
  runs: readonly string[];
  projects: readonly string[];
}

/** The slots that runs and projects hold at the agents of this server. A claim passes over what has as many as it may. */
export interface SlotBounds {
  /**
   * Counts the activity, unless its run or its project has as many slots as it may. With `for_ms` it counts for so long
   * only, unless it is handed over: nobody may learn that the transaction was undone.
   */
  take(use: SlotUse, for_ms?: number): boolean;
  /** What was taken came to nothing. */
  giveBack(activity_id: string): void;
  /** Runs and projects of trusted work, or of untrusted work, from which nothing can be taken now. */
  full(work: Pick<SlotUse, 'trusted'>): FullSlots;
}
