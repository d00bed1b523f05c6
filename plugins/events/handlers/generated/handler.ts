// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A registered handler; in lists without its document.
 */
export interface HandlerView {
  name: string;
  on: string[];
  when?: string;
  /**
   * Kind of workflow.
   */
  kind: string;
  filename?: string;
  source?: string;
  graph?: string;
  node?: string;
  config?: {
    [k: string]: unknown;
  };
  interpreter?: string;
  args?: string[];
  files?: {
    path: string;
    digest: string;
    size: number;
    executable?: boolean;
  }[];
  env?: {
    [k: string]: string;
  };
  tags?: string[];
  requires?: string[];
  /**
   * Variable → name, never a value.
   */
  credentials?: {
    [k: string]: string;
  };
  /**
   * Whether and how its script starts with the event's repository; returned as it was set.
   */
  checkout?:
    | boolean
    | {
        [k: string]: unknown;
      };
  /**
   * The time limit of its runs.
   */
  timeout?: string;
  cancel_on?: string[];
  /**
   * The resource that registered it and that changes it: `graph:<graph>`.
   */
  owner?: string;
  /**
   * ID of the user who registered it last.
   */
  set_by?: string;
  /**
   * Its results of the current hour and the previous 23 hours, and its queued deliveries.
   */
  lately?: {
    since: string;
    /**
     * Runs that it started, including their reruns.
     */
    started: number;
    /**
     * Its failed runs.
     */
    failed: number;
    /**
     * Events that it declined because its predicate could not be evaluated.
     */
    predicate_errors: number;
    /**
     * Queued deliveries; at most 10,000 are counted.
     */
    queued: number;
  };
  created_at: string;
  set_at: string;
  input?: null | boolean | number | string | unknown[] | {};
  subject?: string;
}
