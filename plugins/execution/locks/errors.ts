import { defineError } from '../../../kernel/contracts/index.ts';

/** A rerun begins after a lock whose lease only the first run held. */
export const rerunPastLock = defineError({
  code: 'rerun_past_lock',
  status: 409,
  title: 'The rerun would skip a lock that the script had acquired before this site.',
  next: "Rerun from that lock's site or an earlier site, so that the new run acquires the lease itself.",
});

/** The untrusted runs of a project hold or wait for as many groups as they may. */
export const lockLimit = defineError({
  code: 'lock_limit',
  status: 409,
  title: 'The untrusted runs of the project hold or wait for too many locks.',
  next: 'Use fewer locks in one run, or hold each lock only while a command runs. Locks become available when untrusted runs end.',
});
