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
  /**
   * The sender: a username, or the recipient of an answer link. Absent if the service sent it, or if an older server received it.
   */
  by?: string;
  /**
   * The answer to a wait with a form, approvers or a message.
   */
  decision?: 'approved' | 'rejected';
}
