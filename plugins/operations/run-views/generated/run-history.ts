// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

import type {JournalRecord} from '../../../engine/runs/contract.ts';

/**
 * A script's input, and a page of the calls that its replay reads. Secret values are masked.
 */
export interface RunHistory {
  run_id: string;
  activity_id: string;
  filename?: string;
  interpreter?: string;
  /**
   * The variables that were set when the run was submitted.
   */
  env: {
    [k: string]: string;
  };
  /**
   * The variables of the project and its org at the start of the run. Older servers do not send them.
   */
  vars?: {
    [k: string]: string;
  };
  /**
   * Variables that contain credential values.
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
   * On the last page, the call in which the run is waiting. It has no record yet.
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
