// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A graph expression, and values for the names that it uses.
 */
export interface EvaluateExpression {
  /**
   * CEL.
   */
  expression: string;
  /**
   * Values by name. An event predicate (`when`) can use only `event`; other expressions can use all other names.
   */
  names?: {
    /**
     * The input of the run.
     */
    input?: null | boolean | number | string | unknown[] | {};
    /**
     * The `output`, `status`, `error` and `case` of each node, by node ID.
     */
    nodes?: {
      [k: string]: {
        [k: string]: unknown;
      };
    };
    /**
     * The current item of a `fan_out` or `each` node.
     */
    item?: null | boolean | number | string | unknown[] | {};
    index?: number;
    run?: {
      [k: string]: unknown;
    };
    /**
     * The variables of the project and its org.
     */
    vars?: {
      [k: string]: string;
    };
    /**
     * The expression is a predicate.
     */
    event?: {
      [k: string]: unknown;
    };
  };
}
