// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One durable call of an activity: recorded, or waiting for its outcome.
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
  status: 'recorded' | 'waiting';
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
   * When a wait ends by itself.
   */
  deadline?: string;
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
     * The agent that runs it now.
     */
    agent_id?: string;
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
