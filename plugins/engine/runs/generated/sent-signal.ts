// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The state of a signal.
 */
export interface SentSignal {
  name: string;
  /**
   * `queued`: no wait has this name yet. The next wait with the name consumes the signal.
   */
  state: 'taken' | 'queued';
  /**
   * While it is queued: the names of up to ten signals that the run is waiting for, oldest wait first.
   */
  waits_for: string[];
}
