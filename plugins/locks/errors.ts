import { defineError } from '../../kernel/contracts/index.ts';

/** A run that is made anew begins after a lock whose lease only its first run held. */
export const rerunPastLock = defineError({
  code: 'rerun_past_lock',
  status: 409,
  title: 'The run would go on without a lease that the script has taken before this site.',
  next: 'Rerun from the lock that `detail` names or from a site before it, so that the new run takes the lease itself.',
});
