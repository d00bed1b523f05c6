// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A handler as it is registered; in lists without its document.
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
   * Whether its script begins with the repository of the event, and how: as it was given.
   */
  checkout?:
    | boolean
    | {
        [k: string]: unknown;
      };
  /**
   * How long its runs may take.
   */
  timeout?: string;
  cancel_on?: string[];
  /**
   * The resource that registered it and with which it changes: `graph:<graph>`.
   */
  owner?: string;
  /**
   * Id of who registered it last.
   */
  set_by?: string;
  /**
   * What it did in the present hour and the 23 before it, and what waits.
   */
  lately?: {
    since: string;
    /**
     * Runs that it started, reruns of them included.
     */
    started: number;
    /**
     * Runs of it that failed.
     */
    failed: number;
    /**
     * Events that it declined because its predicate could not be evaluated.
     */
    predicate_errors: number;
    /**
     * Deliveries that wait for a place; at most 10,000 are counted.
     */
    queued: number;
  };
  created_at: string;
  set_at: string;
  input?: null | boolean | number | string | unknown[] | {};
  subject?: string;
}
