import { type RecordedSite, type RerunPart, siteOf } from '../../runs/contract.ts';
import { rerunPastLock } from '../errors.ts';
import { HELD_BY_COMMAND, HELD_BY_RUN } from '../verbs/lock-wait.ts';

/**
 * A lock without a command is held until its run ends, and the first run has ended: the new run would not hold it. A
 * lock with a command is over with its record.
 */
export const refusePastLock: RerunPart = {
  name: 'locks',
  check({ records }) {
    const held = records.find((record, i) => holdsOn(record, records[i + 1]));
    if (!held) return;
    const site = siteOf(held);
    throw rerunPastLock(`the script acquires the lease of "${held.name}" at ${site} and holds it until its run ends`);
  },
};

function holdsOn(record: RecordedSite, next: RecordedSite | undefined): boolean {
  if (record.kind !== HELD_BY_RUN || record.exit_code !== 0) return false;
  return next?.kind !== HELD_BY_COMMAND || next.name !== record.name;
}
