import { defineError, type ExpressionProblem } from '../../../../kernel/contracts/index.ts';

export const documentTooCostly = defineError({
  code: 'document_too_costly',
  status: 400,
  title: 'Reading the document takes too much time or memory.',
  next: 'Make it smaller: fewer levels, anchors and expressions. Split it, or pass long lists as input or as a file.',
});

export const expressionInvalid = defineError({
  code: 'expression_invalid',
  status: 400,
  title: 'The expression does not compile.',
  next: 'Fix the listed problems. Expressions are written in CEL and can use only the names that are available at their position.',
});

export function invalidExpression(problems: readonly ExpressionProblem[]) {
  const details = problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  return expressionInvalid(details.join('; '), { data: { problems } });
}
