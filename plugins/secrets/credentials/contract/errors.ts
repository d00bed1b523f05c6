import { defineError } from '../../../../kernel/contracts/index.ts';

/** An untrusted run declares a credential or an account. */
export const untrustedRunDeclaresCredential = defineError({
  code: 'untrusted_run_declares_credential',
  status: 403,
  title: 'An untrusted run cannot use credentials.',
  next: 'Use a workflow without credentials for untrusted events, or have a trusted person start the run.',
});
