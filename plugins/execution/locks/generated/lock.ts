// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LockView {
  group: string;
  /**
   * False: the group belongs to untrusted runs, which share no leases with trusted runs.
   */
  trusted: boolean;
  holder: {
    run_id: string;
    since: string;
    age_ms: number;
    fence: number;
  };
  queue: {
    run_id: string;
    since: string;
    age_ms: number;
  }[];
  queue_length: number;
}
