import { type ExpressionProblem, type Expressions, isServiceError } from '../../../kernel/contracts/index.ts';
import { ROOTS } from '../domain/expression-check.ts';
import type { EvaluateExpression } from '../generated/evaluate-expression.ts';
import type { EvaluatedExpression } from '../generated/evaluated-expression.ts';

/** Bytes of JSON of an answer: it is for people to read. */
const MAX_VALUE_BYTES = 256 * 1024;

/** As they are outside of a fan_out. */
const OUTSIDE = { item: null, index: -1 };

/** What an expression comes to over these values, as in a run: the same compiler, the same budget. */
export function evaluateExpression(
  expressions: Expressions,
  { expression, names = {} }: EvaluateExpression,
): EvaluatedExpression {
  const predicate = names.event !== undefined;
  try {
    const compiled = expressions.compile(expression, predicate ? ['event'] : ROOTS);
    const found = compiled.evaluate(predicate ? { event: names.event } : { ...OUTSIDE, ...names });
    return found.ok ? shown(found.value) : found;
  } catch (error) {
    if (!isServiceError(error, 'expression_invalid')) throw error;
    return { ok: false, problems: error.extras.data?.problems as ExpressionProblem[] };
  }
}

function shown(value: unknown): EvaluatedExpression {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  if (bytes <= MAX_VALUE_BYTES) return { ok: true, value: value as EvaluatedExpression['value'] };
  return { ok: false, reason: `the value has ${bytes} bytes of JSON, and at most ${MAX_VALUE_BYTES} are shown` };
}
