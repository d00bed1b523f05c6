// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One node of a run, or one item of a node.
 */
export interface NodeRecord {
  /**
   * ID of the node.
   */
  node: string;
  /**
   * Its display name, e.g. `build (node=20)`; by default, its ID and the item's number.
   */
  label?: string;
  /**
   * What it does, e.g. `set`.
   */
  type: string;
  /**
   * Number of the item; only for items.
   */
  item?: number;
  /**
   * `waiting` means that its needs are not met yet; `backoff` means that it waits for its next attempt.
   */
  state: 'waiting' | 'running' | 'backoff' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
  /**
   * The number of started attempts.
   */
  attempt: number;
  /**
   * Only for nodes with items.
   */
  items?: {
    total: number;
    begun: number;
    ended: number;
    failed: number;
  };
  /**
   * The result of a condition or a switch.
   */
  case?: boolean | string;
  /**
   * Only with `output=true`, after success. The output of a node with items is shown with its items.
   */
  output?: null | boolean | number | string | unknown[] | {};
  /**
   * The error of the last attempt that failed.
   */
  error?: {
    code: string;
    message: string;
  };
  /**
   * True if a rerun kept its result from the original run.
   */
  kept?: boolean;
  /**
   * The activity of the current attempt.
   */
  activity?: {
    activity_id: string;
    state: 'queued' | 'running' | 'waiting';
    /**
     * Capabilities that an agent must have; absent if there are none.
     */
    requires?: string[];
    /**
     * The agent that runs it now.
     */
    agent_id?: string;
    /**
     * What the agent is executing now, such as a job's step or a script's call; calls shorter than about 100 ms are left out.
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
       * When it started, or when its current attempt started.
       */
      since: string;
      /**
       * Name of the agent.
       */
      agent: string;
      /**
       * The attempt number; absent if the call cannot be retried.
       */
      attempt?: number;
      /**
       * The maximum number of attempts; only with `attempt`.
       */
      max_attempts?: number;
    };
  };
  /**
   * The attempts before the last one, oldest first: only the newest 20. Absent if there are none.
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
   * What it is waiting for.
   */
  substate?: {
    kind: 'sleep' | 'signal' | 'event' | 'ask' | 'any' | 'awaiting_lease' | 'activity' | 'child';
    name: string;
    /**
     * The called run; only for a `child`.
     */
    run_id?: string;
    /**
     * The condition on the event, as CEL; only for an `event`. Lists leave it out.
     */
    when?: string;
    /**
     * The values that `when` uses, other than the event and the run.
     */
    values?: {
      [k: string]: unknown;
    };
    /**
     * What ends the wait, whichever comes first; only for an `any`. Lists leave it out.
     */
    any?: {
      kind: 'signal' | 'event' | 'ask';
      /**
       * The name of the signal or the ask, or the type of the event.
       */
      name: string;
      /**
       * The condition on the event, as CEL.
       */
      when?: string;
      /**
       * The values that `when` uses, other than the event and the run.
       */
      values?: {
        [k: string]: unknown;
      };
    }[];
    since: string;
    /**
     * When the wait times out.
     */
    deadline?: string;
  };
  /**
   * When the attempt times out.
   */
  timeout_at?: string;
  started_at?: string;
  finished_at?: string;
}
