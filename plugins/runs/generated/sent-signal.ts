// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What became of a signal.
 */
export interface SentSignal {
  name: string;
  /**
   * `queued`: no wait listened to its name; the next wait of that name takes it.
   */
  state: 'taken' | 'queued';
  /**
   * While it is queued: the names of the signals that the run waits for now, the oldest wait first; at most ten.
   */
  waits_for: string[];
}
