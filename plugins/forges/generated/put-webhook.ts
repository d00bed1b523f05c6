// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * A repository at a forge whose deliveries become events, and what runs at its pushes where no handler does.
 */
export interface PutWebhookBody {
  /**
   * Name of a connector that describes a forge: `forge_a`, `forge_b`.
   */
  forge: string;
  /**
   * `owner/name`; the subject of every event of this webhook.
   */
  repo: string;
  /**
   * Where the forge's API is; required for a forge without a host of its own, as far as it is called.
   */
  api_base?: string;
  /**
   * Name of a bearer credential that may administer webhooks of the repository.
   */
  credential?: string;
  /**
   * Make the webhook at the forge, or bring it up to date there. False: remove it there. Absent: leave it as it is.
   */
  auto_register?: boolean;
  /**
   * Make a new secret; the old one ends at once. Default false.
   */
  rotate?: boolean;
  /**
   * A pipeline document that runs at pushes: short for a workflow of kind `pipeline`.
   */
  pipeline?: string;
  /**
   * What runs at pushes that no handler matches, as a submit takes it.
   */
  workflow?: {
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
     * Variables of the program and the names of the credentials whose values they get when a job is claimed. Scripts only.
     */
    credentials?: {
      [k: string]: string | undefined;
    };
    /**
     * Labels; `k:v` tags are also seen as a map.
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
     * Types of events that cancel the run while it has not ended; an event with another subject than the run's does not.
     *
     * @maxItems 32
     */
    cancel_on?: string[];
  };
}
