import { defineError } from '../../../kernel/contracts/index.ts';

export const callsTooDeep = defineError({
  code: 'calls_too_deep',
  status: 409,
  title: 'The chain of runs that call each other is too long.',
  next: 'Look for a workflow that calls itself endlessly, and add a condition that stops it.',
});
