import { defineError } from '../../kernel/contracts/index.ts';

export const AccessErrors = {
  lastOwner: defineError({
    code: 'last_owner',
    status: 409,
    title: 'An org keeps at least one owner.',
    next: 'Make another member owner first: `svc member set <user> --role owner`.',
  }),
  alreadyBootstrapped: defineError({
    code: 'already_bootstrapped',
    status: 409,
    title: 'This database has an owner already.',
    next: 'Ask an owner for a token, or run `svc admin bootstrap` with --force to make another owner.',
  }),
} as const;
