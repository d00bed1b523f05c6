// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LockView {
  group: string;
  /**
   * If false, the group belongs to untrusted runs, which do not share leases with trusted runs.
   */
  trusted: boolean;
  /**
   * How many runs may hold it at once: the lowest limit of its holders.
   */
  limit: number;
  /**
   * One of its holders.
   */
  holder: {
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
}
