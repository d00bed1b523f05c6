import { defineError } from '../contracts/index.ts';

export const expressionInvalid = defineError({
  code: 'expression_invalid',
  status: 400,
  title: 'The expression does not compile.',
  next: 'Correct what `problems` names, by line and column; expressions are CEL, with the names that the place allows.',
});
