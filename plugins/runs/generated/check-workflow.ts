// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * A document to check without running it.
 */
export interface CheckWorkflowBody {
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
  source: string;
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
   * Capabilities an agent must have.
   *
   * @maxItems 32
   */
  requires?: string[];
}
