// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One durable call of an activity: recorded, in progress on an agent, waiting for its outcome or its next attempt, or being retried.
 */
export interface StepRecord {
  /**
   * Position in the activity's journal, starting at 0.
   */
  position: number;
  /**
   * The verb.
   */
  kind: string;
  name: string;
  /**
   * The number of earlier calls with this name in the activity.
   */
  ordinal: number;
  /**
   * `name#ordinal`.
   */
  site: string;
  label?: string;
  /**
   * `running`: an agent is executing it. `retrying`: an attempt has failed, and another one is in progress or about to start.
   */
  status: 'recorded' | 'running' | 'waiting' | 'retrying';
  /**
   * The agent that executes it now; absent for calls shorter than about 100 ms.
   */
  running?: {
    /**
     * When it started, or when its current attempt started.
     */
    since: string;
    agent_id: string;
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
  exit_code?: number;
  /**
   * Recorded output, if it is UTF-8.
   */
  stdout?: string;
  /**
   * Recorded output in base64, if it is not UTF-8.
   */
  stdout_base64?: string;
  /**
   * The reason why the call failed, or the person who answered the wait.
   */
  message?: string;
  /**
   * By the agent's clock.
   */
  started_at: string;
  /**
   * By the database's clock.
   */
  recorded_at?: string;
  /**
   * When a wait times out, or the next attempt starts.
   */
  deadline?: string;
  /**
   * Failed attempts before the last one, oldest first. Absent if there are none. The step itself describes the last attempt.
   */
  attempts?: {
    /**
     * Counted from 1.
     */
    attempt: number;
    exit_code: number;
    /**
     * The end of its output, if it is UTF-8.
     */
    stdout?: string;
    /**
     * The end of its output in base64, if it is not UTF-8.
     */
    stdout_base64?: string;
    /**
     * Why it failed.
     */
    message?: string;
    /**
     * By the agent's clock.
     */
    started_at: string;
    /**
     * By the database's clock.
     */
    ended_at: string;
    /**
     * When the next attempt can start.
     */
    next_at: string;
  }[];
  /**
   * The maximum number of attempts; only with `attempts`.
   */
  max_attempts?: number;
  /**
   * The number of the claim under which the call was made, starting at 1. Each claim starts the program again. Records kept by a rerun have the number 1.
   */
  pass?: number;
  /**
   * The activity of the call.
   */
  child?: {
    activity_id: string;
    state: 'queued' | 'running' | 'waiting' | 'ended' | 'cancelled';
    /**
     * Capabilities that an agent must have; absent if there are none.
     */
    requires?: string[];
    exit_code?: number;
    /**
     * When it was queued for an agent.
     */
    begun_at?: string;
    ended_at?: string;
    /**
     * The agent that runs it now.
     */
    agent_id?: string;
    /**
     * When its command started; absent for commands shorter than about 100 ms.
     */
    running?: {
      /**
       * When it started, or when its current attempt started.
       */
      since: string;
      agent_id: string;
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
   * The run that the call started.
   */
  run?: {
    run_id: string;
    status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  };
  activity_id: string;
  /**
   * Name of the activity.
   */
  activity: string;
}
