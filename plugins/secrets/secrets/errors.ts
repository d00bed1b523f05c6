import { defineError } from '../../../kernel/contracts/index.ts';

export const SecretErrors = {
  secretsFull: defineError({
    code: 'secrets_full',
    status: 409,
    title: "The project's secrets no longer fit into a job's environment.",
    next: 'Remove some secrets (`svc secret rm`), or store secrets that only a few jobs need as credentials.',
  }),
} as const;
