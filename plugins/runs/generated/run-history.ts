// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {JournalRecord} from './journal-record.ts';

/**
 * What a script was given, and a page of the calls that its replay reads. Secret values are masked.
 */
export interface RunHistory {
  run_id: string;
  activity_id: string;
  filename?: string;
  interpreter?: string;
  /**
   * Variables of its submit.
   */
  env: {
    [k: string]: string;
  };
  /**
   * Variables that got the values of credentials.
   */
  credentials: string[];
  /**
   * The content of `$SVC_INPUT_FILE`.
   */
  envelope: {
    type: string;
    [k: string]: unknown;
  };
  records: JournalRecord[];
  /**
   * On the last page: the call that the run waits in. It has no record yet.
   */
  waiting?: {
    position: number;
    kind: string;
    name: string;
    ordinal: number;
  };
  /**
   * Absent on the last page.
   */
  next_cursor?: string;
}
