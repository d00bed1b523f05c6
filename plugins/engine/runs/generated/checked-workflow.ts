// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CheckedWorkflow {
  ok: boolean;
  problems: {
    /**
     * Counted from 1.
     */
    line: number;
    /**
     * Counted from 1.
     */
    column: number;
    message: string;
    code: string;
  }[];
  /**
   * Likely mistakes that do not prevent the workflow from running. Absent if there are none.
   */
  warnings?: {
    /**
     * Counted from 1.
     */
    line: number;
    /**
     * Counted from 1.
     */
    column: number;
    message: string;
    code: string;
  }[];
  /**
   * The parts that could not be checked, with reasons. Absent if everything was checked.
   */
  notes?: string[];
}
