// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A durable value of the project.
 */
export interface CellRecord {
  entity: string;
  key: string;
  /**
   * The stored text, unchanged. Absent in lists.
   */
  value?: string;
  /**
   * When it was last set.
   */
  updated_at: string;
}
