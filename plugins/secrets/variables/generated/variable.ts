// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface Variable {
  name: string;
  value: string;
  /**
   * Where it is set. A variable of the project hides the one of the org that has the same name.
   */
  origin: 'project' | 'org';
  created_at: string;
  updated_at: string;
  /**
   * The user or token that has set the value. Absent: the operator of the server.
   */
  updated_by?: string;
}
