// Generated from the JSON Schema of the same name by kernel/schema/generate.ts. Do not edit.

/**
 * A workflow that starts, and an event that happens, when a clock says so.
 */
export interface PutScheduleBody {
  /**
   * Five fields (minute hour day month weekday), or six with seconds first; `L`, `W`, `#` and names as usual; or `@daily` and the like.
   */
  cron: string;
  /**
   * IANA name, e.g. `Europe/Berlin`. Default `UTC`.
   */
  timezone?: string;
  /**
   * What runs at each tick, as a submit takes it. Absent: a tick is only an event.
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
     * Any JSON, at most 2 MiB; the program finds it as `input` in the file named by `SVC_INPUT_FILE`.
     */
    input?: null | boolean | number | string | unknown[] | {};
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
  /**
   * What the ticks are about: the key of their events and the subject of their runs.
   */
  subject?: string;
  /**
   * No ticks until it is set again without. Default false.
   */
  paused?: boolean;
}
