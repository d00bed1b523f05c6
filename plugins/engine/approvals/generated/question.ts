// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A run's question to a person: an open wait for a signal that has a form, approvers or a message.
 */
export interface Question {
  /**
   * The name of the signal.
   */
  name: string;
  /**
   * The activity that waits: the node or job of a graph or pipeline.
   */
  activity: string;
  /**
   * What is asked.
   */
  message?: string;
  /**
   * JSON Schema of the answer.
   */
  form?: {
    [k: string]: unknown;
  };
  /**
   * Who can answer: usernames, and the roles `member`, `admin` and `owner`. If absent: every member.
   */
  approvers?: string[];
  /**
   * Whether the caller may answer.
   */
  may_answer: boolean;
  since: string;
  /**
   * When the wait times out.
   */
  deadline?: string;
}
