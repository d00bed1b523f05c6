import { defineError } from '../../kernel/contracts/index.ts';

export const expressionInvalid = defineError({
  code: 'expression_invalid',
  status: 400,
  title: 'The expression does not compile.',
  next: 'Correct the problems that `problems` lists with line and column. Expressions are written in CEL and may use only the names that are allowed there.',
});
