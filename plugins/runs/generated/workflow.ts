// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * What runs: exactly one of `source`, `graph` and `node`, and how.
 */
export interface Workflow {
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
   * Name of a stored graph, or one version of it: `deploy@3`.
   */
  graph?: string;
  /**
   * Kind of a single node, e.g. `http` or `forge_a.report_run_status`.
   */
  node?: string;
  /**
   * Configuration of the node, at most 1 MiB of JSON.
   */
  config?: {
    [k: string]: unknown;
  };
  /**
   * Command that runs the script, split at spaces, e.g. `ruby -w`.
   */
  interpreter?: string;
  /**
   * Any JSON, at most 2 MiB; the program reads it with `svc input`, or as `input` in the file named by `SVC_INPUT_FILE`.
   */
  input?: null | boolean | number | string | unknown[] | {};
  /**
   * Arguments of the script, at most 120 KiB together. Scripts only.
   *
   * @maxItems 1024
   */
  args?: string[];
  /**
   * Files that lie beside the script when it runs, at most 8 MiB together. Scripts only.
   *
   * @maxItems 1000
   */
  files?: IncludedFile[];
  /**
   * Variables of the program. `SVC_*` is refused.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Variables of the program and the names of the credentials whose values they get when a job is claimed. Scripts only.
   */
  credentials?: {
    [k: string]: string;
  };
  /**
   * Tags of the run; `k:v` tags are also seen as a map.
   *
   * @maxItems 64
   */
  tags?: string[];
  /**
   * What the run is about; narrows the events that reach it. Absent: the subject of whatever starts it.
   */
  subject?: string;
  /**
   * Capabilities an agent must have.
   *
   * @maxItems 32
   */
  requires?: string[];
  /**
   * Types of events that cancel the run while it has not ended; an event with another subject than the run's does not.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
}
export interface IncludedFile {
  /**
   * Where it lies, relative to the folder of the script: names with `/` between them.
   */
  path: string;
  /**
   * Of its content, which was uploaded before.
   */
  digest: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * True: it can be run as a program.
   */
  executable?: boolean;
}
