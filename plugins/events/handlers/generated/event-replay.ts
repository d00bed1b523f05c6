// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A replay of many events, with what it has done so far.
 */
export interface EventReplayView {
  /**
   * ID of the replay, `rpl_…`.
   */
  replay: string;
  state: 'running' | 'done' | 'cancelled';
  type?: string;
  handler?: string;
  /**
   * True: only dead letters.
   */
  failed?: boolean;
  /**
   * True: predicates are ignored.
   */
  force?: boolean;
  since?: string;
  until?: string;
  /**
   * The number of deliveries at which it ends.
   */
  limit: number;
  /**
   * Deliveries that started a run.
   */
  delivered: number;
  /**
   * Deliveries whose predicate was false or could not be evaluated.
   */
  declined: number;
  /**
   * Deliveries that could not start a run.
   */
  refused: number;
  /**
   * The name of the user who requested it.
   */
  by: string;
  created_at: string;
  updated_at: string;
  /**
   * The idempotency key was used before: this is the first replay.
   */
  duplicate?: boolean;
}
