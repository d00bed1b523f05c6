// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * One execution of a workflow.
 */
export interface RunRecord {
  /**
   * Opaque, ordered by time.
   */
  run_id: string;
  /**
   * `script`, `pipeline`, `graph` or `node`.
   */
  kind: string;
  /**
   * Versioned type of the workflow, e.g. `svc/script/v1`.
   */
  workflow_type?: string;
  /**
   * Name of the file, or the kind.
   */
  workflow: string;
  /**
   * `succeeded`, `failed` and `cancelled` are final.
   */
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'cancelled';
  /**
   * The wait of the most recently parked activity.
   */
  substate?: {
    kind: 'sleep' | 'signal' | 'event' | 'ask' | 'any' | 'awaiting_lease' | 'activity' | 'child';
    name: string;
    /**
     * The called run; only for a `child`.
     */
    run_id?: string;
    /**
     * The condition on the event, as CEL; only for an `event`. Lists leave it out.
     */
    when?: string;
    /**
     * The values that `when` uses, other than the event and the run.
     */
    values?: {
      [k: string]: unknown;
    };
    /**
     * What ends the wait, whichever comes first; only for an `any`. Lists leave it out.
     */
    any?: {
      kind: 'signal' | 'event' | 'ask';
      /**
       * The name of the signal or the ask, or the type of the event.
       */
      name: string;
      /**
       * The condition on the event, as CEL.
       */
      when?: string;
      /**
       * The values that `when` uses, other than the event and the run.
       */
      values?: {
        [k: string]: unknown;
      };
    }[];
    /**
     * When it parked.
     */
    since: string;
    /**
     * When the wait times out.
     */
    deadline?: string;
  };
  /**
   * Present while the run is paused. Nothing new starts in a paused run, and its status does not change.
   */
  paused?: {
    at: string;
    /**
     * Name of the person or token that paused it.
     */
    by?: string;
    reason?: string;
    /**
     * The run that called this one, if it was paused together with that run.
     */
    with?: string;
  };
  /**
   * The calls that agents are executing now, oldest first: up to 20, without calls shorter than about 100 ms. Lists of runs leave them out.
   */
  running?: {
    /**
     * The verb.
     */
    kind: string;
    name: string;
    /**
     * `name#ordinal`.
     */
    site: string;
    label?: string;
    /**
     * When it started, or when its current attempt started.
     */
    since: string;
    agent_id: string;
    /**
     * Name of the agent.
     */
    agent: string;
    /**
     * The attempt number; absent if the call cannot be retried.
     */
    attempt?: number;
    /**
     * The maximum number of attempts; only with `attempt`.
     */
    max_attempts?: number;
    activity_id: string;
    /**
     * Name of the activity.
     */
    activity: string;
  }[];
  /**
   * Up to 20 activities that agents have claimed. Activities whose agents have not responded for the longest time come first. Present only for a single run that is open.
   */
  claims?: {
    activity_id: string;
    /**
     * Name of the activity.
     */
    activity: string;
    agent_id: string;
    /**
     * When the agent last claimed or renewed it.
     */
    last_sign_at: string;
    /**
     * How long ago the agent last claimed or renewed it, by the database's clock. An agent renews three times per lease.
     */
    silent_ms: number;
    /**
     * When another agent can claim the work, unless the claim is renewed before then.
     */
    ends_at: string;
  }[];
  subject?: string;
  tags: string[];
  trigger: {
    /**
     * `manual`, `push`, `schedule.tick`, `spawn` or an event's type.
     */
    type: string;
    [k: string]: unknown;
  };
  trusted: boolean;
  generation: number;
  parent?: string;
  rerun_of?: string;
  /**
   * When it was accepted.
   */
  created_at: string;
  /**
   * When an agent first claimed it.
   */
  started_at?: string;
  /**
   * When the run ended.
   */
  finished_at?: string;
  /**
   * Absent if it is 0.
   */
  priority?: number;
  /**
   * When it times out; only with a `timeout`.
   */
  deadline?: string;
  /**
   * The workflow's output; only after success.
   */
  output?: null | boolean | number | string | unknown[] | {};
  /**
   * Only in a list: true if the output is too large for the list (more than about 4,000 bytes). To see it, get the run itself.
   */
  output_omitted?: boolean;
  error?: {
    code: string;
    message: string;
  };
  /**
   * The reason for the cancellation.
   */
  reason?: string;
  /**
   * The event that cancelled it.
   */
  cancelled_by?: {
    event: string;
    type: string;
  };
  /**
   * Event types that cancel it; absent if it was submitted without any.
   */
  cancel_on?: string[];
  /**
   * Capabilities that an agent must have; absent if it was submitted without any.
   */
  requires?: string[];
  /**
   * Variables and the names of their credentials; absent if it was submitted without any.
   */
  credentials?: {
    [k: string]: string;
  };
  /**
   * Markdown notes, in order, up to 1 MiB in total. In a list, the first five, each up to 200 characters. `…` stands for omitted notes.
   */
  annotations: string[];
  /**
   * Address of the run's page; only if the server has a public URL.
   */
  run_url?: string;
  /**
   * The ID of its trace; only if the server exports traces, or exported them when the run was submitted.
   */
  trace_id?: string;
  /**
   * Address of its trace's page; only if the server exports traces and SVC_TRACE_URL is set.
   */
  trace_url?: string;
}
