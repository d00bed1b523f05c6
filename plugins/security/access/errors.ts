import { defineError } from '../../../kernel/contracts/index.ts';

export const AccessErrors = {
  lastOwner: defineError({
    code: 'last_owner',
    status: 409,
    title: 'An org must keep at least one owner.',
    next: 'Make another member owner first: `svc member set <user> --role owner`.',
  }),
  alreadyBootstrapped: defineError({
    code: 'already_bootstrapped',
    status: 409,
    title: 'This database already has an owner.',
    next: 'Ask an owner for a token, or run `svc admin bootstrap` with --force to create another owner.',
  }),
  tooManyInvitations: defineError({
    code: 'too_many_invitations',
    status: 409,
    title: 'The org has too many pending invitations.',
    next: 'Withdraw invitations that you do not need: `svc invitation sent`, `svc invitation withdraw <user>`. They expire after 7 days.',
  }),
} as const;
