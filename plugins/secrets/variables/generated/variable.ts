// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Variable {
  name: string;
  value: string;
  /**
   * Where it is set. A variable of the project overrides the org's variable with the same name.
   */
  origin: 'project' | 'org';
  created_at: string;
  updated_at: string;
  /**
   * The user or token that set the value. Absent if the operator of the server set it.
   */
  updated_by?: string;
}
