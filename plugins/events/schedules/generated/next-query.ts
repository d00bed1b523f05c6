// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The number of due times.
 */
export interface NextQuery {
  count?: number;
}
