import { defineError } from '../../../kernel/contracts/index.ts';

export const appliedFull = defineError({
  code: 'applied_full',
  status: 409,
  title: 'The project has too many applied objects.',
  next: 'Remove files that the project no longer needs, and run `svc apply --prune`, or split the project.',
});
