// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RerunRunBody {
  /**
   * A recorded site, `name#ordinal`; a bare name is its first occurrence. What was recorded before it is not done again.
   */
  from?: string;
}
