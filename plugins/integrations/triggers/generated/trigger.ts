// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A trigger and its last poll.
 */
export interface TriggerView {
  name: string;
  connector: string;
  trigger: string;
  credential?: string;
  every: string;
  /**
   * The connector's interval, which applies without `every`. Absent if the connector no longer has this list.
   */
  default_every?: string;
  from: 'now' | 'beginning';
  with: {};
  input: {};
  paused: boolean;
  paused_since?: string;
  paused_by?: string;
  /**
   * Absent while it is paused.
   */
  next_poll?: string;
  /**
   * Where the next poll begins. Absent before the first poll, and if the trigger has none.
   */
  cursor?: string | number;
  /**
   * Absent before the first poll.
   */
  last_poll?: {
    at: string;
    /**
     * The items that the last successful poll read.
     */
    items: number;
    /**
     * The events of these items.
     */
    events: number;
    /**
     * Why new items may be missing.
     */
    warning?: string;
    error?: {
      code: string;
      message: string;
    };
  };
  /**
   * How many polls have failed in a row.
   */
  failures: number;
  created_at: string;
  set_at: string;
}
