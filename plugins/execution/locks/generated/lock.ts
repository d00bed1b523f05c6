// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LockView {
  group: string;
  /**
   * If false, the group belongs to untrusted runs, which do not share leases with trusted runs.
   */
  trusted: boolean;
  /**
   * How many runs can hold it at once: the lowest limit of its holders, or 1 if there are none.
   */
  limit: number;
  /**
   * One of its holders. Absent if nobody holds it, because a throttle delays those that are waiting.
   */
  holder?: {
    run_id: string;
    since: string;
    age_ms: number;
    fence: number;
  };
  /**
   * At most 100.
   */
  holders: {
    run_id: string;
    since: string;
    age_ms: number;
    fence: number;
  }[];
  holder_count: number;
  queue: {
    run_id: string;
    since: string;
    age_ms: number;
  }[];
  queue_length: number;
  /**
   * The throttle of the first run in the queue. At most `limit` runs start in any period of length `period`.
   */
  throttle?: {
    limit: number;
    /**
     * A duration, such as `1m`.
     */
    period: string;
  };
  /**
   * When the throttle lets the first run in the queue start. Absent if the throttle does not delay it.
   */
  next_start_at?: string;
}
