// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface McpQuery {
  /**
   * `true` offers only tools that change nothing.
   */
  read_only?: 'true';
}
