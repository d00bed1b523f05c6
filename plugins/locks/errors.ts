import { defineError } from '../../kernel/contracts/index.ts';

/** A rerun begins after a lock whose lease only the first run held. */
export const rerunPastLock = defineError({
  code: 'rerun_past_lock',
  status: 409,
  title: 'The rerun would skip a lock that the script had acquired before this site.',
  next: 'Rerun from the site of that lock or from an earlier one, so that the new run acquires the lease itself.',
});

/** Untrusted runs of a project hold and wait for as many groups as they may. */
export const lockLimit = defineError({
  code: 'lock_limit',
  status: 409,
  title: 'The untrusted runs of the project hold or wait for too many locks.',
  next: 'Use fewer names for locks in one run, or hold each only while a command runs. There is room again when such runs have ended.',
});
