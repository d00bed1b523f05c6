import { defineError } from '../../../kernel/contracts/index.ts';

export const callsTooDeep = defineError({
  code: 'calls_too_deep',
  status: 409,
  title: 'Too many runs have called each other.',
  next: 'Look for a workflow that calls itself endlessly, and give it a condition that stops it.',
});
