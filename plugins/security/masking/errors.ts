import { defineError } from '../../../kernel/contracts/index.ts';

export const secretsTooLarge = defineError({
  code: 'secrets_too_large',
  status: 422,
  title: 'The secrets of a job are too large to be masked.',
  next: 'Remove secrets that the project no longer needs. Store large ones as an artifact that is encrypted with a short secret.',
});
