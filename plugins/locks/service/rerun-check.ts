import { type RecordedSite, type RerunPart, siteOf } from '../../runs/contract.ts';
import { rerunPastLock } from '../errors.ts';
import { HELD_BY_COMMAND, HELD_BY_RUN } from '../wait/lock-wait.ts';

/**
 * A lock without a command holds until its run ends, and the first run has ended: the new one would not hold it. One with
 * a command is over with its record.
 */
export const refusePastLock: RerunPart = {
  name: 'locks',
  check({ records }) {
    const held = records.find((record, i) => holdsOn(record, records[i + 1]));
    if (!held) return;
    const site = siteOf(held);
    throw rerunPastLock(`the script takes the lease of "${held.name}" at ${site}, for as long as its run lasts`);
  },
};

function holdsOn(record: RecordedSite, next: RecordedSite | undefined): boolean {
  if (record.kind !== HELD_BY_RUN || record.exit_code !== 0) return false;
  return next?.kind !== HELD_BY_COMMAND || next.name !== record.name;
}
