import { defineError } from '../../../kernel/contracts/index.ts';

export const secretsTooLarge = defineError({
  code: 'secrets_too_large',
  status: 422,
  title: "The job's secrets are too large to mask.",
  next: 'Remove secrets that the project no longer needs. Encrypt large secrets with a short one, and store them as an artifact.',
});
