import { defineError } from '../../kernel/contracts/index.ts';

export const CredentialErrors = {
  credentialMissing: defineError({
    code: 'credential_missing',
    status: 422,
    title: 'The workflow names a credential that does not exist.',
    next: 'Create it with `svc credential set` or correct the name. `svc credential list` shows the credentials of the project.',
  }),
  untrustedRunDeclaresCredential: defineError({
    code: 'untrusted_run_declares_credential',
    status: 403,
    title: 'An untrusted run may not use credentials.',
    next: 'Use a workflow without credentials for untrusted events, or let a trusted person start the run.',
  }),
} as const;
