// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LockView {
  group: string;
  /**
   * False: the group is one of untrusted runs, which share no lease with trusted ones.
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
