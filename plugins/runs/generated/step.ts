// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One durable call of an activity: recorded, under way on an agent, waiting for its outcome or for its next attempt, or being tried again.
 */
export interface StepRecord {
  /**
   * Place in the activity's journal, from 0.
   */
  position: number;
  /**
   * The verb.
   */
  kind: string;
  name: string;
  /**
   * How often the activity reached this name before.
   */
  ordinal: number;
  /**
   * `name#ordinal`.
   */
  site: string;
  label?: string;
  /**
   * `running`: an agent carries it out now. `retrying`: an attempt has failed, and another one is under way or about to be.
   */
  status: 'recorded' | 'running' | 'waiting' | 'retrying';
  /**
   * The agent that carries it out now; not of calls that take less than some 100 ms.
   */
  running?: {
    /**
     * When it began, or its present attempt did.
     */
    since: string;
    agent_id: string;
    /**
     * Name of the agent.
     */
    agent: string;
    /**
     * Which attempt it is; only of what is tried again.
     */
    attempt?: number;
    /**
     * So many may be made in all; only with `attempt`.
     */
    max_attempts?: number;
  };
  exit_code?: number;
  /**
   * Recorded output, when it is UTF-8.
   */
  stdout?: string;
  /**
   * Recorded output, when it is not UTF-8.
   */
  stdout_base64?: string;
  /**
   * Why the call failed.
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
   * When a wait ends by itself, or the next attempt begins.
   */
  deadline?: string;
  /**
   * Attempts that failed before the last one, the oldest first; only when there are any. The last one is the record.
   */
  attempts?: {
    /**
     * From 1.
     */
    attempt: number;
    exit_code: number;
    /**
     * The end of its output, when it is UTF-8.
     */
    stdout?: string;
    /**
     * The end of its output, when it is not UTF-8.
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
     * When the next attempt may begin.
     */
    next_at: string;
  }[];
  /**
   * So many attempts may be made in all; only with `attempts`.
   */
  max_attempts?: number;
  /**
   * The claim under which the call was made, from 1: a program is started anew for each. What a rerun has kept counts as the first.
   */
  pass?: number;
  /**
   * The activity that the call asked for.
   */
  child?: {
    activity_id: string;
    state: 'queued' | 'running' | 'waiting' | 'ended' | 'cancelled';
    /**
     * Capabilities that an agent must have; only when there are any.
     */
    requires?: string[];
    exit_code?: number;
    /**
     * When it was handed over, to whichever agent takes it.
     */
    begun_at?: string;
    ended_at?: string;
    /**
     * The agent that runs it now.
     */
    agent_id?: string;
    /**
     * Since when its command runs; not of commands that take less than some 100 ms.
     */
    running?: {
      /**
       * When it began, or its present attempt did.
       */
      since: string;
      agent_id: string;
      /**
       * Name of the agent.
       */
      agent: string;
      /**
       * Which attempt it is; only of what is tried again.
       */
      attempt?: number;
      /**
       * So many may be made in all; only with `attempt`.
       */
      max_attempts?: number;
    };
  };
  /**
   * The run that the call made.
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
