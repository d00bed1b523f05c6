import { migration } from '../../../../kernel/contracts/index.ts';

/** Lanes of untrusted runs: trusted work is claimed first, whatever waits in these. Requirements mark older ones. */
export const untrustedLanes = migration('0029-untrusted-lanes', [
  'ALTER TABLE runs_lanes ADD COLUMN untrusted {flag} NOT NULL DEFAULT 0',
]);
