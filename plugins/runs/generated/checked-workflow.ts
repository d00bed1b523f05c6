// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface CheckedWorkflow {
  ok: boolean;
  problems: {
    /**
     * From 1.
     */
    line: number;
    /**
     * From 1.
     */
    column: number;
    message: string;
    code: string;
  }[];
  /**
   * What may run and will probably not do what its author wants. Absent without any.
   */
  warnings?: {
    /**
     * From 1.
     */
    line: number;
    /**
     * From 1.
     */
    column: number;
    message: string;
    code: string;
  }[];
  /**
   * What could not be looked at, and why. Absent without any.
   */
  notes?: string[];
}
