import { isServiceError, type ExpressionProblem } from '../../../kernel/contracts/index.ts';
import type { CompiledExpression, WantedExpression, WorkerTools } from '../contract.ts';

/**
 * Compiles expressions in a worker thread; `wanted` and the answer are JSON.
 * @public
 */
export const compileAll = ({ expressions }: WorkerTools, wanted: string, names: readonly string[]): string => {
  const found = (JSON.parse(wanted) as WantedExpression[]).map(({ text, roots }): CompiledExpression => {
    try {
      const compiled = expressions.compile(text, roots);
      return { problems: [], uses: Object.fromEntries(names.map((name) => [name, compiled.uses(name)])) };
    } catch (error) {
      if (!isServiceError(error, 'expression_invalid')) throw error;
      return { problems: error.extras.data?.problems as ExpressionProblem[], uses: {} };
    }
  });
  return JSON.stringify(found);
};
