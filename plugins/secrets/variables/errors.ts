import { defineError } from '../../../kernel/contracts/index.ts';

export const VariableErrors = {
  variablesFull: defineError({
    code: 'variables_full',
    status: 409,
    title: 'The project or the org has too many variables, or their values are too large together.',
    next: 'Remove variables that no workflow uses (`svc var rm`), or put large values into a file or the input.',
  }),
} as const;
