// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A signal that was sent to a run.
 */
export interface Signal {
  name: string;
  /**
   * `queued`: no wait has consumed it yet.
   */
  state: 'queued' | 'taken';
  sent_at: string;
  taken_at?: string;
}
