// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An expression of a graph, and values for its names.
 */
export interface EvaluateExpression {
  /**
   * CEL.
   */
  expression: string;
  /**
   * Values by name. A predicate of an event (`when`) sees only `event`; every other expression sees the rest.
   */
  names?: {
    /**
     * The input of the run.
     */
    input?: null | boolean | number | string | unknown[] | {};
    /**
     * By id: `output`, `status`, `error` and `case`.
     */
    nodes?: {
      [k: string]: {
        [k: string]: unknown;
      };
    };
    /**
     * The item of a fan_out.
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
