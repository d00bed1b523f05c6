// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * A workflow that runs when an event comes: exactly one of `source`, `graph` and `node`.
 */
export interface PutHandlerBody {
  /**
   * Patterns of types: an exact type, the beginning of types with a `*` at its end (`run.*`), or `*`.
   *
   * @minItems 1
   * @maxItems 32
   */
  on: [string, ...string[]];
  /**
   * CEL over `event`, the envelope with `type`, `key`, `event`, `payload` and what else it carries; a run starts when it is true.
   */
  when?: string;
  /**
   * Kind of workflow, e.g. `script`. Absent: found from `filename` and `source`.
   */
  kind?: string;
  /**
   * Name of the file; its ending finds the kind and the interpreter. Only the part after the last slash is kept.
   */
  filename?: string;
  /**
   * The document itself, at most 1 MiB of UTF-8.
   */
  source?: string;
  /**
   * Name of a stored graph.
   */
  graph?: string;
  /**
   * Kind of a single node, e.g. `http` or `forge_a.report_run_status`.
   */
  node?: string;
  /**
   * Configuration of the node.
   */
  config?: {
    [k: string]: unknown | undefined;
  };
  /**
   * Command that runs the script, split at spaces, e.g. `ruby -w`.
   */
  interpreter?: string;
  /**
   * Variables of the program. `SVC_*` is refused.
   */
  env?: {
    [k: string]: string | undefined;
  };
  /**
   * Tags of the runs; `k:v` tags are also seen as a map.
   *
   * @maxItems 64
   */
  tags?: string[];
  /**
   * Capabilities an agent must have.
   *
   * @maxItems 32
   */
  requires?: string[];
  /**
   * Variables of the program and the names of the credentials whose values they get when a job is claimed. Scripts only.
   */
  credentials?: {
    [k: string]: string | undefined;
  };
  /**
   * Types of events that cancel the run while it has not ended; an event with another subject than the run's does not.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
}
