import { defineError, type ExpressionProblem } from '../../../kernel/contracts/index.ts';

export const documentTooCostly = defineError({
  code: 'document_too_costly',
  status: 400,
  title: 'Reading the document takes more time or memory than one document may.',
  next: 'Make it smaller: fewer levels, anchors, expressions and signs of its language. Split it, or give long lists as input or as a file.',
});

export const expressionInvalid = defineError({
  code: 'expression_invalid',
  status: 400,
  title: 'The expression does not compile.',
  next: 'Correct the problems that `problems` lists with line and column. Expressions are written in CEL and may use only the names that are allowed there.',
});

export function invalidExpression(problems: readonly ExpressionProblem[]) {
  const said = problems.map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  return expressionInvalid(said.join('; '), { data: { problems } });
}
