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
   * Likely mistakes that do not prevent a run. Absent if there are none.
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
   * What could not be checked, and why. Absent if everything was checked.
   */
  notes?: string[];
}
