// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What a handler would do with an event now. Nothing is started.
 */
export interface TestedHandlerView {
  handler: string;
  /**
   * Absent if the event is a sample.
   */
  event?: string;
  /**
   * Whether a sample event is trusted.
   */
  trusted?: boolean;
  /**
   * For a sample event: the run's input file, with zeros as the event's ID.
   */
  input?: {};
  type: string;
  /**
   * The first of its patterns that matches the type; absent if none does.
   */
  pattern?: string;
  /**
   * The predicate and its result. Absent if the handler has no predicate.
   */
  when?: {
    source: string;
    value?: boolean;
    error?: string;
  };
  /**
   * `start` and `queue`: a run would start, immediately or when a slot is free.
   */
  outcome: 'start' | 'queue' | 'not_matched' | 'withheld' | 'declined' | 'refused';
  /**
   * The reason, in words.
   */
  reason: string;
  /**
   * The run that this event has started or would start for the handler.
   */
  run_id?: string;
}
