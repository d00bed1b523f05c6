// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface AccountRemoved {
  ended_at_provider: boolean;
  warnings: string[];
}
