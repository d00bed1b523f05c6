// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * The registration of a trigger node, under the name `graph.<graph>.<node>`.
 */
export interface Registered {
  node_id: string;
  type: string;
  /**
   * Name of the handler.
   */
  handler?: string;
  /**
   * Types of events that start a run.
   */
  on?: string[];
  /**
   * Name of the event hook.
   */
  hook?: string;
  /**
   * The address for deliveries.
   */
  ingest_url?: string;
  /**
   * The hook's secret. Shown only in the response that created it.
   */
  secret?: string;
  /**
   * Name of the schedule.
   */
  schedule?: string;
  next_due?: string;
}
