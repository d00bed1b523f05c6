// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface ReachQuery {
  /**
   * Type of the event.
   */
  type: string;
  /**
   * Default false: the event of a stranger, such as a pull request from a fork. If true, an event that a member of the project emits.
   */
  trusted?: 'true' | 'false';
  /**
   * Maximum number of nodes in the response, 1 to 2000; default 1000.
   */
  nodes?: string;
  /**
   * Maximum number of steps from the event, 1 to 64; default 32.
   */
  depth?: string;
}
