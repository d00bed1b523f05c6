// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * How many due times to return.
 */
export interface NextQuery {
  count?: number;
}
