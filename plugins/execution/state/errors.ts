import { defineError } from '../../../kernel/contracts/index.ts';

export const untrustedRunMayNotWriteState = defineError({
  code: 'untrusted_run_may_not_write_state',
  status: 403,
  title: 'An untrusted run cannot write project state.',
  next: "Remove --entity to write the run's own state, or let a trusted run write it.",
});
