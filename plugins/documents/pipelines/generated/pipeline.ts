// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export type Scalar = string | number | boolean;
/**
 * Capabilities that the agent must have.
 *
 * @maxItems 32
 */
export type Requires = string[];
/**
 * Limits how many runs (or jobs) of a project's group can proceed at a time, with the same leases as `svc lock`.
 */
export type Concurrency =
  | string
  | {
      group: string;
      /**
       * An expression. The limit applies to each of its values separately. The lock is then `<group>/<value>`.
       */
      key?: string;
      /**
       * How many can proceed at once. If the holders' limits differ, the lowest one applies. Default: 1, or 1,000 with a `throttle`.
       */
      limit?: number;
      /**
       * `queue` (the default): the run waits for its turn. `cancel-pending`: cancels earlier runs that are waiting. `cancel-running`: cancels those, and as many running ones as needed to make room.
       */
      policy?: 'queue' | 'cancel-pending' | 'cancel-running';
      /**
       * At most `limit` start in any period of length `period`. The others wait.
       */
      throttle?: {
        limit: number;
        period: Duration;
      };
    };
/**
 * `500ms`, `5s`, `20m`, `1h30m`.
 */
export type Duration = string;
/**
 * The workspace's initial content. Default: the commit of the push, pull request or release that started the run. If true: the commit of any forge event. If false: the workspace starts empty.
 */
export type Checkout = boolean | CheckoutChoices;
export type Need =
  | string
  | {
      /**
       * The job that must succeed first.
       */
      job: string;
      /**
       * The artifacts to put into the workspace before the first step. If true: everything listed in the other job's `artifacts`. If a list: folders and files among the run's artifacts.
       *
       * @minItems 1
       * @maxItems 64
       */
      artifacts?: boolean | [string, ...string[]];
    };
/**
 * A CEL expression. `${{ }}` around the whole expression is stripped.
 */
export type Condition = string | boolean;
/**
 * The key, which can contain expressions. Only one cache is saved for each key.
 */
export type CacheKey = string;
/**
 * Files in the workspace whose content becomes part of the key, such as package-lock.json.
 *
 * @minItems 1
 * @maxItems 64
 */
export type CacheFiles = [string, ...string[]];
/**
 * Folders and files in the workspace to cache.
 *
 * @minItems 1
 * @maxItems 64
 */
export type CachePaths = [string, ...string[]];
/**
 * Key prefixes: if no cache has the key, svc restores the newest cache whose key begins with one of them.
 *
 * @maxItems 32
 */
export type CacheRestoreKeys = string[];

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
   * The inputs that the pipeline takes: fields with their types, such as `service: string` and `replicas: integer = 1`, or a JSON Schema. Expressions read them as `inputs.<name>`.
   */
  inputs?: {} | string;
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
   * The run's subject, unless its submission or trigger sets one.
   */
  subject?: string;
  /**
   * The run's output: each value is a constant or a single expression. Default: the values that its scripts set with `svc output set`.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * The files of `workflow` jobs, by path. The CLI adds them.
   */
  files?: {
    [k: string]: string;
  };
  /**
   * The files included with the scripts of `workflow` jobs, by job. The CLI adds them.
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
   * Not evaluated; use it for YAML anchors.
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
    | {}
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
 * Maps variables to the names of credentials or accounts. The names cannot contain expressions.
 */
export interface Credentials {
  [k: string]: string;
}
export interface CheckoutChoices {
  /**
   * Branch, tag or commit of the event's repository, instead of the event's commit. Can contain expressions. HEAD means the default branch.
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
export interface IncludedFile {
  path: string;
  digest: string;
  size: number;
  executable?: boolean;
}
export interface Job {
  /**
   * The displayed name in the log; default: the ID.
   */
  name?: string;
  /**
   * The jobs that must succeed first. `{job: build, artifacts: true}` also puts the artifacts of `build` into the workspace.
   */
  needs?: string | Need[];
  if?: Condition;
  /**
   * If true, the job also runs when a need was not met, unless its `if` is false.
   */
  always?: boolean;
  requires?: Requires;
  strategy?: Strategy;
  /**
   * `500ms`, `5s`, `20m`, `1h30m`.
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
   * Later jobs read them as `jobs.<id>.outputs.<name>`.
   */
  outputs?: {
    [k: string]: unknown;
  };
  /**
   * An event type to wait for.
   */
  wait_for_event?: string;
  /**
   * CEL over `event` and the run's data, as it is when the wait begins. `${{ }}` around the whole expression is stripped.
   */
  when?: string | boolean;
  /**
   * If true, events from untrusted runs also end the wait.
   */
  untrusted?: boolean;
  /**
   * The name of the signal to wait for, which a person or a program sends.
   */
  wait_for_signal?: string;
  /**
   * Signals, events, asks and a timeout. The job waits for the first of them.
   */
  wait_for_any?: {
    /**
     * The name of a signal.
     */
    signal?: string;
    /**
     * An event type.
     */
    event?: string;
    /**
     * CEL over `event` and the run's data, as it is when the wait begins.
     */
    when?: string | boolean;
    /**
     * If true, events from untrusted runs are accepted too.
     */
    untrusted?: boolean;
    /**
     * The name of an ask.
     */
    ask?: string;
    /**
     * The job waits no longer than this.
     */
    timeout?: string;
  }[];
  /**
   * The fields of the answer: `amount: number, note?: text`, the same as a mapping, or a JSON Schema.
   */
  form?:
    | string
    | {
        [k: string]: unknown;
      };
  /**
   * Who can answer: usernames, and the roles `member`, `admin` and `owner`. By default, every member.
   */
  approvers?: string | string[];
  /**
   * The question for the person. It can contain `${{ }}`.
   */
  message?: string;
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
   * Files that are restored before the first step, and saved under the key when the steps have succeeded.
   *
   * @minItems 1
   * @maxItems 32
   */
  cache?:
    | {
        key: CacheKey;
        files?: CacheFiles;
        paths: CachePaths;
        restore_keys?: CacheRestoreKeys;
      }
    | [
        {
          key: CacheKey;
          files?: CacheFiles;
          paths: CachePaths;
          restore_keys?: CacheRestoreKeys;
        },
        ...{
          key: CacheKey;
          files?: CacheFiles;
          paths: CachePaths;
          restore_keys?: CacheRestoreKeys;
        }[]
      ];
  /**
   * Folders and files in the workspace that become the run's artifacts when the steps have succeeded.
   *
   * @maxItems 64
   */
  artifacts?: string[];
}
export interface Strategy {
  /**
   * The axes and their values; `include` adds combinations or members, and `exclude` removes combinations. The matrix, an axis or a list can be a `${{ }}` instead, which is evaluated when the job begins.
   */
  matrix:
    | {
        /**
         * @maxItems 1000
         */
        include?:
          | {
              [k: string]: unknown;
            }[]
          | string;
        /**
         * @maxItems 1000
         */
        exclude?:
          | {
              [k: string]: unknown;
            }[]
          | string;
        [k: string]:
          | unknown[]
          | string
          | {
              [k: string]: unknown;
            }[]
          | undefined;
      }
    | string;
  max_parallel?: number;
  /**
   * If false, the other combinations continue after one fails.
   */
  fail_fast?: boolean;
}
export interface Retry {
  /**
   * Maximum number of attempts, including the first one.
   */
  attempts: number;
  /**
   * `500ms`, `5s`, `20m`, `1h30m`.
   */
  backoff?: string;
}
export interface Step {
  /**
   * The step's name in `steps.<id>`.
   */
  id?: string;
  /**
   * Shown in the log.
   */
  name?: string;
  /**
   * A bash script, run with -eu.
   */
  run: string;
  if?: Condition;
  /**
   * If true, the step also runs after another step has failed, unless its `if` is false.
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
 * A file that svc reads through the forge's API when the job starts.
 */
export interface FromRepo {
  /**
   * The path of the script, pipeline or graph in the repository.
   */
  path: string;
  /**
   * The repository's name at the forge: `acme/web`.
   */
  repo: string;
  /**
   * The credential for reading the file, of kind `bearer` or `basic`.
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
