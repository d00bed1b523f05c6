// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface View {
  name: string;
  /**
   * Whether only you see it. Your private view overrides the project's view with the same name.
   */
  private: boolean;
  /**
   * At least one filter of `GET …/runs`.
   */
  filter: {
    /**
     * One status, or several, separated by commas.
     */
    status?: string;
    /**
     * `true`: only paused runs. `false`: only runs that are not paused.
     */
    paused?: boolean;
    /**
     * Only runs with this tag.
     */
    tag?: string;
    /**
     * Only runs of the workflow with this name.
     */
    workflow?: string;
    /**
     * Only runs with this subject.
     */
    subject?: string;
    /**
     * Only runs with this cause: an event type, `manual` or `spawn`, or `handler:<name>`, `schedule:<name>`, `event:<id>` or `run:<id>`.
     */
    trigger?: string;
    /**
     * Only runs created before this time (ISO 8601), or longer than this duration before each use of the view (`2h`).
     */
    until?: string;
    /**
     * Only runs created at or after this time (ISO 8601), or within this duration before each use of the view (`2h`).
     */
    since?: string;
    /**
     * Only ended runs with all of these words in their output or in the output of a step.
     */
    output?: string;
    /**
     * Only ended runs with all of these words in their error or cancellation reason.
     */
    error?: string;
    /**
     * Only ended runs with a step, job or node with this name.
     */
    step?: string;
    /**
     * Only ended runs whose submission or document names this account or credential.
     */
    account?: string;
  };
  created_at: string;
  updated_at: string;
  /**
   * The user or token that has saved it. Absent: the operator of the server.
   */
  updated_by?: string;
}
