import { defineError } from '../../kernel/contracts/index.ts';

/** A rerun begins after a lock whose lease only the first run held. */
export const rerunPastLock = defineError({
  code: 'rerun_past_lock',
  status: 409,
  title: 'The rerun would skip a lock that the script had acquired before this site.',
  next: 'Rerun from the site of that lock or from an earlier one, so that the new run acquires the lease itself.',
});
