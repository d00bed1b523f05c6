// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * How many due times.
 */
export interface NextQuery {
  count?: number;
}
