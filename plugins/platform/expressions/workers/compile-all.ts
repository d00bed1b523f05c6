import { isServiceError, type ExpressionProblem } from '../../../../kernel/contracts/index.ts';
import type { CompiledExpression, ExpressionSource, WorkerTools } from '../contract.ts';

/**
 * Compiles expressions in a worker thread. Both `wanted` and the result are JSON.
 * @public
 */
export const compileAll = ({ expressions }: WorkerTools, sources: string, names: readonly string[]): string => {
  const compiled = (JSON.parse(sources) as ExpressionSource[]).map(({ text, roots }): CompiledExpression => {
    try {
      const compiled = expressions.compile(text, roots);
      return { problems: [], uses: Object.fromEntries(names.map((name) => [name, compiled.uses(name)])) };
    } catch (error) {
      if (!isServiceError(error, 'expression_invalid')) throw error;
      return { problems: error.extras.data?.problems as ExpressionProblem[], uses: {} };
    }
  });
  return JSON.stringify(compiled);
};
