import { defineError } from '../../kernel/contracts/index.ts';

export const SecretErrors = {
  secretsFull: defineError({
    code: 'secrets_full',
    status: 409,
    title: 'The project holds as many secrets as the environment of a job can take.',
    next: 'Remove some (`svc secret rm`), or keep what only few jobs need as credentials.',
  }),
} as const;
