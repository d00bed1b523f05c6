// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

export interface PageQuery {
  limit?: number;
  /**
   * `next_cursor` of the page before.
   */
  cursor?: string;
}
