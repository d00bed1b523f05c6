// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An expression's value, or the reason why it has none.
 */
export interface EvaluatedExpression {
  ok: boolean;
  /**
   * The value. Present if `ok` is true.
   */
  value?: null | boolean | number | string | unknown[] | {};
  /**
   * Why the expression has no value. Present if `ok` is false.
   */
  reason?: string;
  /**
   * If the text is not a valid expression: its errors and their positions. Lines and columns start at 1.
   */
  problems?: ExpressionProblem[];
}
export interface ExpressionProblem {
  line: number;
  column: number;
  message: string;
}
