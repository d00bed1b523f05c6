import { defineError } from '../../kernel/contracts/index.ts';

export const AccountErrors = {
  consoleSessionRequired: defineError({
    code: 'console_session_required',
    status: 403,
    title: 'Accounts are connected in the console only.',
    next: 'Open the Connections page of the console in a browser, at the address that `detail` names, and connect there.',
  }),
  connectingNotOffered: defineError({
    code: 'connecting_not_offered',
    status: 409,
    title: 'This service has no such provider of accounts.',
    next: 'The operator sets providers with SVC_CONNECTED_ACCOUNT_PROVIDERS; `svc provider ls` lists them.',
  }),
  accountMismatch: defineError({
    code: 'account_mismatch',
    status: 409,
    title: 'This is another account than the one that was connected under this name.',
    next: 'Sign in at the provider as the same account, or connect the other one under a new name.',
  }),
  renewalPending: defineError({
    code: 'account_renewal_pending',
    status: 503,
    title: 'The token of a connected account has ended, and its provider has not renewed it yet.',
    next: 'Nothing was sent; it is tried again by itself. `svc account show` tells what the provider answered.',
  }),
} as const;
