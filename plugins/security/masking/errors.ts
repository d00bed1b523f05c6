import { defineError } from '../../../kernel/contracts/index.ts';

export const secretsTooLarge = defineError({
  code: 'secrets_too_large',
  status: 422,
  title: "The job's secrets are too large to mask.",
  next: 'Remove secrets that the project no longer needs. Instead of a large secret, store only a short key as a secret, and let the job decrypt the data with it.',
});
