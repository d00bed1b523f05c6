// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A workflow, as exactly one of `source`, `graph`, `node` and `function`, with its settings.
 */
export interface Workflow {
  /**
   * Kind of workflow, e.g. `script`. Default: determined from `filename` and `source`.
   */
  kind?: string;
  /**
   * Name of the file; its extension determines the kind and the interpreter. Only the part after the last slash is kept.
   */
  filename?: string;
  /**
   * The document, at most 1 MiB of UTF-8.
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
   * Name of a workflow that workers serve as a function.
   */
  function?: string;
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
   * Any JSON, at most 2 MiB. The program reads it with `svc input`, or as `input` in the file that `SVC_INPUT_FILE` names.
   */
  input?: null | boolean | number | string | unknown[] | {};
  /**
   * Arguments of the script, at most 120 KiB in total. Scripts only.
   *
   * @maxItems 1024
   */
  args?: string[];
  /**
   * Files included with the script, at most 8 MiB in total. Scripts only.
   *
   * @maxItems 1000
   */
  files?: IncludedFile[];
  /**
   * The program's variables. Names that begin with `SVC_` are rejected.
   */
  env?: {
    [k: string]: string;
  };
  /**
   * Maps the program's variables to the names of credentials. When a job is claimed, each variable gets the value of its credential. Scripts and functions only.
   */
  credentials?: {
    [k: string]: string;
  };
  /**
   * Tags of the run; tags of the form `k:v` are also available as a map.
   *
   * @maxItems 64
   */
  tags?: string[];
  /**
   * The subject of the run, which limits the events that reach it. Default: the subject of its trigger.
   */
  subject?: string;
  /**
   * Capabilities that an agent must have.
   *
   * @maxItems 32
   */
  requires?: string[];
  /**
   * Event types that cancel the run while it is open; events with a different subject do not cancel it.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
  /**
   * If true, the script starts in a folder with a checkout of the event's repository; `SVC_WORKSPACE` contains the folder's path. Scripts only.
   */
  checkout?: boolean | CheckoutOptions;
  /**
   * The time limit, such as `30m`, counted from the submission and including waits. After this time, the run fails with `deadline_exceeded`. Default: the project's setting.
   */
  timeout?: string;
}
export interface IncludedFile {
  /**
   * The file's path, relative to the script's folder, with `/` between names.
   */
  path: string;
  /**
   * Digest of its content, which must be uploaded first.
   */
  digest: string;
  /**
   * Bytes.
   */
  size: number;
  /**
   * If true, the file can be run as a program.
   */
  executable?: boolean;
}
export interface CheckoutOptions {
  /**
   * Branch, tag or commit of the event's repository, instead of the event's commit. HEAD means the default branch.
   */
  ref?: string;
  /**
   * Number of commits of history to fetch. Default: 1. With 0, all commits and tags.
   */
  depth?: number;
  /**
   * true also fetches submodules; recursive also fetches their submodules. Submodules are fetched only over https.
   */
  submodules?: true | false | 'recursive';
  /**
   * Folders to check out, in addition to the files at the root. Default: all.
   *
   * @minItems 1
   * @maxItems 64
   */
  paths?: [string, ...string[]];
}
