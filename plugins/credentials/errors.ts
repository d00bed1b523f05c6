import { defineError } from '../../kernel/contracts/index.ts';

export const CredentialErrors = {
  credentialMissing: defineError({
    code: 'credential_missing',
    status: 422,
    title: 'A credential that is named does not exist.',
    next: 'Store it (`svc credential set`) or correct the name; `svc credential list` shows those there are.',
  }),
  untrustedRunDeclaresCredential: defineError({
    code: 'untrusted_run_declares_credential',
    status: 403,
    title: 'An untrusted run declares a credential, and gets none.',
    next: 'Let a workflow without credentials serve untrusted events, or have a trusted person start the run.',
  }),
} as const;
