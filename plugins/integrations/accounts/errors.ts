import { defineError } from '../../../kernel/contracts/index.ts';

export const AccountErrors = {
  consoleSessionRequired: defineError({
    code: 'console_session_required',
    status: 403,
    title: 'Accounts can be connected only in the console.',
    next: "Open the console's Connections page in a browser, at the address in `detail`, and connect there.",
  }),
  connectingNotOffered: defineError({
    code: 'connecting_not_offered',
    status: 409,
    title: 'This service does not have this account provider.',
    next: 'The operator sets providers with SVC_CONNECTED_ACCOUNT_PROVIDERS; `svc provider ls` lists them.',
  }),
  accountMismatch: defineError({
    code: 'account_mismatch',
    status: 409,
    title: 'A different account was connected under this name.',
    next: 'Sign in to the same account at the provider, or connect the new account under another name.',
  }),
  connectingTooOften: defineError({
    code: 'connecting_too_often',
    status: 429,
    title: 'You have made too many attempts to connect accounts.',
    next: 'Nothing was started. Try again after the time in `Retry-After`: svc forgets each attempt after 70 minutes.',
  }),
  notGranted: defineError({
    code: 'account_not_granted',
    status: 424,
    title: 'The provider did not issue a token for this client.',
    next: 'Nothing was stored. Check the client ID, its secret or key, the scopes and the audience, as `detail` says; then connect again.',
  }),
  renewalPending: defineError({
    code: 'account_renewal_pending',
    status: 503,
    title: "A connected account's token has expired, and its provider has not renewed it yet.",
    next: "Nothing was sent; svc tries again automatically. `svc account show` shows the provider's response.",
  }),
} as const;
