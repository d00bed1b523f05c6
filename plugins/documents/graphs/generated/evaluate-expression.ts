// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A graph expression, and values for its names.
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
     * By node ID: `output`, `status`, `error` and `case`.
     */
    nodes?: {
      [k: string]: {
        [k: string]: unknown;
      };
    };
    /**
     * The item of a fan_out or an each.
     */
    item?: null | boolean | number | string | unknown[] | {};
    index?: number;
    run?: {
      [k: string]: unknown;
    };
    /**
     * The expression is a predicate.
     */
    event?: {
      [k: string]: unknown;
    };
  };
}
