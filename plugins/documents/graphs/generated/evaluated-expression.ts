// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An expression's value, or the reason why it has none.
 */
export interface EvaluatedExpression {
  ok: boolean;
  /**
   * With `ok`.
   */
  value?: null | boolean | number | string | unknown[] | {};
  /**
   * Without a value: the errors.
   */
  reason?: string;
  /**
   * The errors in the text and their positions, if it is not an expression. Lines and columns count from 1.
   */
  problems?: ExpressionProblem[];
}
export interface ExpressionProblem {
  line: number;
  column: number;
  message: string;
}
