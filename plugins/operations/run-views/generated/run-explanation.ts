// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Why a run is in its state, as `svc explain` prints it.
 */
export interface RunExplanation {
  run_id: string;
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  /**
   * Sentences; the first one gives the reason.
   */
  because: string[];
  /**
   * What you can do, often a command. Empty when there is nothing to do.
   */
  next: string[];
}
