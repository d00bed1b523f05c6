// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Rejects a run's question to a person.
 */
export interface RejectSignal {
  /**
   * Recorded on the run.
   */
  reason?: string;
}
