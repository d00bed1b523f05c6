// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export type Scalar = string | number | boolean;
/**
 * Capabilities that the agent must have.
 *
 * @maxItems 32
 */
export type Requires = string[];
/**
 * Lets only one run (or job) of a project's group continue at a time, with the same leases as `svc lock`.
 */
export type Concurrency =
  | string
  | {
      group: string;
      /**
       * `queue` (the default) waits for its turn; `cancel-running` cancels the earlier runs of the group.
       */
      policy?: 'queue' | 'cancel-running';
    };
/**
 * The workspace's initial content. Default: the commit of the push, pull request or release that started the run. True: the commit of any forge event. False: the workspace starts empty.
 */
export type Checkout = boolean | CheckoutChoices;
/**
 * CEL; `${{ }}` around the whole expression is stripped.
 */
export type Condition = string | boolean;
/**
 * `500ms`, `5s`, `20m`, `1h30m`.
 */
export type Duration = string;

/**
 * A pipeline (`svc/pipeline/v1`): jobs that depend on each other, in YAML.
 */
export interface PipelineDocument {
  /**
   * The name of the workflow, shown with its runs; default: the file name.
   */
  name?: string;
  env?: Env;
  /**
   * Constants that expressions read as `vars.<name>`.
   */
  vars?: {
    [k: string]: unknown;
  };
  credentials?: Credentials;
  requires?: Requires;
  concurrency?: Concurrency;
  checkout?: Checkout;
  /**
   * Event types that cancel the run.
   *
   * @maxItems 32
   */
  cancel_on?: string[];
  /**
   * @maxItems 64
   */
  tags?: string[];
  /**
   * The run's subject, unless its submit or trigger sets one.
   */
  subject?: string;
  /**
   * The run's output: each value is a constant, or one whole expression. Default: what its scripts set with `svc output set`.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * The files that `workflow` jobs name, by path; the command line adds them.
   */
  files?: {
    [k: string]: string;
  };
  /**
   * The files included with the scripts of `workflow` jobs, by job; the command line adds them.
   */
  included?: {
    /**
     * @maxItems 1000
     */
    [k: string]: IncludedFile[];
  };
  jobs: {
    [k: string]: Job;
  };
  /**
   * Not evaluated; for YAML anchors.
   *
   * This interface was referenced by `PipelineDocument`'s JSON-Schema definition
   * via the `patternProperty` "^x-".
   */
  [k: string]:
    | {
        [k: string]: unknown;
      }
    | string
    | Env
    | Credentials
    | Requires
    | Concurrency
    | Checkout
    | string[]
    | {
        [k: string]: string;
      }
    | {
        /**
         * @maxItems 1000
         */
        [k: string]: IncludedFile[];
      }
    | {
        [k: string]: Job;
      }
    | undefined;
}
/**
 * Variables for the programs. Names that begin with SVC_ are rejected.
 */
export interface Env {
  [k: string]: Scalar;
}
/**
 * Variable → name of a credential or account, written literally.
 */
export interface Credentials {
  [k: string]: string;
}
export interface CheckoutChoices {
  /**
   * Branch, tag or commit of the event's repository, instead of the event's commit. Can contain expressions. HEAD: its default branch.
   */
  ref?: string;
  /**
   * Number of commits of history to fetch. Default: 1. With 0, all commits and tags.
   */
  depth?: number;
  /**
   * True: also submodules; recursive: also their submodules. Only over https.
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
export interface IncludedFile {
  path: string;
  digest: string;
  size: number;
  executable?: boolean;
}
export interface Job {
  /**
   * Shown in the log; default: its ID.
   */
  name?: string;
  /**
   * Jobs that must succeed first.
   */
  needs?: string | string[];
  if?: Condition;
  /**
   * Evaluated even if a need was not met.
   */
  always?: boolean;
  requires?: Requires;
  strategy?: Strategy;
  /**
   * Applies to each attempt from its start, including its time in the queue.
   */
  timeout?: string;
  retry?: Retry;
  continue_on_error?: boolean;
  env?: Env;
  credentials?: Credentials;
  /**
   * @maxItems 1000
   */
  steps?: Step[];
  /**
   * Read by later jobs as `jobs.<id>.outputs.<name>`.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * An event type to wait for.
   */
  wait_for_event?: string;
  /**
   * CEL over `event`; `${{ }}` around the whole expression is stripped.
   */
  when?: string | boolean;
  /**
   * True: events of untrusted runs also end the wait.
   */
  untrusted?: boolean;
  /**
   * Another workflow, run as a child: the path of a script, pipeline or graph in `files`, `{graph: <name>}` for a stored graph, or `{from_repo: …}` for a file in a repository.
   */
  workflow?:
    | string
    | {
        graph?: string;
        from_repo?: FromRepo;
      };
  /**
   * Files and folders to include with the script of `workflow`, relative to its folder.
   *
   * @minItems 1
   * @maxItems 64
   */
  include?: [string, ...string[]];
  /**
   * The input of the child.
   */
  with?: {
    [k: string]: unknown;
  };
  concurrency?: Concurrency;
  checkout?: Checkout;
  /**
   * Folders and files in the workspace that become the run's artifacts when the steps have succeeded.
   *
   * @maxItems 64
   */
  artifacts?: string[];
}
export interface Strategy {
  /**
   * Axes with their values; `include` adds combinations or members, and `exclude` removes combinations.
   */
  matrix: {
    /**
     * @maxItems 1000
     */
    include?: {
      [k: string]: unknown;
    }[];
    /**
     * @maxItems 1000
     */
    exclude?: {
      [k: string]: unknown;
    }[];
    [k: string]:
      | unknown[]
      | {
          [k: string]: unknown;
        }[]
      | undefined;
  };
  max_parallel?: number;
  /**
   * False: if one combination fails, the others continue.
   */
  fail_fast?: boolean;
}
export interface Retry {
  /**
   * All attempts, including the first one.
   */
  attempts: number;
  /**
   * Pause between two attempts.
   */
  backoff?: string;
}
export interface Step {
  /**
   * Its name in `steps.<id>`.
   */
  id?: string;
  /**
   * Shown in the log.
   */
  name?: string;
  /**
   * A bash program, run with -eu.
   */
  run: string;
  if?: Condition;
  /**
   * Evaluated even after a step has failed.
   */
  always?: boolean;
  env?: Env;
  retry?: Retry;
  timeout?: Duration;
  continue_on_error?: boolean;
  /**
   * Relative to the workspace.
   */
  working_directory?: string;
}
/**
 * Read through the forge's API when the job starts.
 */
export interface FromRepo {
  /**
   * The path of the script, pipeline or graph in the repository.
   */
  path: string;
  /**
   * The name at the forge: `acme/web`.
   */
  repo: string;
  /**
   * The credential for reading the file: `bearer` or `basic`.
   */
  credential: string;
  /**
   * Branch, tag or commit; default: the default branch.
   */
  ref?: string;
  /**
   * The connector; default: the connector of the repository's webhook.
   */
  forge?: string;
  /**
   * The API address of the forge, if the forge has no default host or the repository is on a different host.
   */
  api_base?: string;
}
