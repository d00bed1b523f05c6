import { type ExpressionProblem, type Expressions, isServiceError } from '../../../../kernel/contracts/index.ts';
import { ROOTS } from '../domain/expression-check.ts';
import type { EvaluateExpression } from '../generated/evaluate-expression.ts';
import type { EvaluatedExpression } from '../generated/evaluated-expression.ts';

/** The limit of the value in an answer, in bytes of JSON. It is for people to read. */
const MAX_VALUE_BYTES = 256 * 1024;

/** The values of `item` and `index` outside a fan-out. */
const OUTSIDE = { item: null, index: -1 };

/** Evaluates an expression over these values as a run does, with the same compiler and the same budget. */
export function evaluateExpression(
  expressions: Expressions,
  { expression, names = {} }: EvaluateExpression,
): EvaluatedExpression {
  const predicate = names.event !== undefined;
  try {
    const compiled = expressions.compile(expression, predicate ? ['event'] : ROOTS);
    const result = compiled.evaluate(predicate ? { event: names.event } : { ...OUTSIDE, ...names });
    return result.ok ? limitResult(result.value) : result;
  } catch (error) {
    if (!isServiceError(error, 'expression_invalid')) throw error;
    return { ok: false, problems: error.extras.data?.problems as ExpressionProblem[] };
  }
}

function limitResult(value: unknown): EvaluatedExpression {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes <= MAX_VALUE_BYTES) return { ok: true, value: value as EvaluatedExpression['value'] };
  return { ok: false, reason: `the value is ${bytes} bytes of JSON, and at most ${MAX_VALUE_BYTES} are shown` };
}
