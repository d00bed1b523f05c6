import { defineError } from '../../kernel/contracts/index.ts';

export const secretsTooLarge = defineError({
  code: 'secrets_too_large',
  status: 422,
  title: 'A job has more secret text than can be masked.',
  next: 'Remove secrets that the project no longer needs, or give large ones as an artifact that is encrypted with a short one.',
});
