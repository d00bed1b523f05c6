// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What an event would do for a handler now; nothing was started.
 */
export interface TestedHandlerView {
  handler: string;
  /**
   * Absent when the event is made up.
   */
  event?: string;
  /**
   * Of a made-up event.
   */
  trusted?: boolean;
  /**
   * Of a made-up event: the input file of the run, with an id of zeros for the event.
   */
  input?: {};
  type: string;
  /**
   * The first of its patterns that the type fits; absent when none does.
   */
  pattern?: string;
  /**
   * The predicate and what it comes to; absent without one.
   */
  when?: {
    source: string;
    value?: boolean;
    error?: string;
  };
  /**
   * `start` and `queue`: a run would start, at once or when there is a place.
   */
  outcome: 'start' | 'queue' | 'not_matched' | 'withheld' | 'declined' | 'refused';
  /**
   * Why; for people.
   */
  reason: string;
  /**
   * The run that this event has or would have for the handler, when it would start.
   */
  run_id?: string;
}
