// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One node of a run, or one item of a node.
 */
export interface NodeRecord {
  /**
   * Its id.
   */
  node: string;
  /**
   * How people know it, e.g. `build (node=20)`; absent: by its id, and the number of the item.
   */
  label?: string;
  /**
   * What it does, e.g. `set`.
   */
  type: string;
  /**
   * Number of the item; only of items.
   */
  item?: number;
  /**
   * `waiting`: for what it needs; `backoff`: for its next attempt.
   */
  state: 'waiting' | 'running' | 'backoff' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
  /**
   * Begun attempts.
   */
  attempt: number;
  /**
   * Only of nodes with items.
   */
  items?: {
    total: number;
    begun: number;
    ended: number;
    failed: number;
  };
  /**
   * What a condition or a switch came to.
   */
  case?: boolean | string;
  /**
   * Only with `output=true`, after success. A node with items has it with its items.
   */
  output?: null | boolean | number | string | unknown[] | {};
  /**
   * Of the last attempt that failed.
   */
  error?: {
    code: string;
    message: string;
  };
  /**
   * True when its result is that of the run that this one is a rerun of.
   */
  kept?: boolean;
  /**
   * The work of the present attempt.
   */
  activity?: {
    activity_id: string;
    state: 'queued' | 'running' | 'waiting';
    /**
     * Capabilities that an agent must have; only when there are any.
     */
    requires?: string[];
    /**
     * The agent that runs it now.
     */
    agent_id?: string;
    /**
     * What the agent carries out now: a step of a job, a call of a script; not what takes less than some 100 ms.
     */
    running?: {
      /**
       * The verb.
       */
      kind: string;
      name: string;
      /**
       * `name#ordinal`.
       */
      site: string;
      label?: string;
      /**
       * When it began, or its present attempt did.
       */
      since: string;
      /**
       * Name of the agent.
       */
      agent: string;
      /**
       * Which attempt it is; only of what is tried again.
       */
      attempt?: number;
      /**
       * So many attempts may be made in all; only with `attempt`.
       */
      max_attempts?: number;
    };
  };
  /**
   * Attempts that have ended and were not the last, oldest first; at most the newest 20. Left out without any.
   */
  attempts?: {
    attempt: number;
    /**
     * When it was queued.
     */
    started_at: string;
    finished_at: string;
    error?: {
      code: string;
      message: string;
    };
  }[];
  /**
   * What it waits for.
   */
  substate?: {
    kind: 'sleep' | 'signal' | 'event' | 'awaiting_lease' | 'activity' | 'child';
    name: string;
    /**
     * The run that was called; only of a `child`.
     */
    run_id?: string;
    since: string;
    /**
     * When the wait ends by itself.
     */
    deadline?: string;
  };
  /**
   * When the attempt fails because it takes too long.
   */
  timeout_at?: string;
  started_at?: string;
  finished_at?: string;
}
