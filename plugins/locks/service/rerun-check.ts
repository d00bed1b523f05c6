import { type RecordedSite, type RerunPart, siteOf } from '../../runs/contract.ts';
import { rerunPastLock } from '../errors.ts';
import { HELD_BY_COMMAND, HELD_BY_RUN } from '../verbs/lock-wait.ts';

/**
 * A lock without a command is held until its run ends, and the first run has ended: the new run would not hold it. A
 * lock with a command is over with its record.
 */
export const refusePastLock: RerunPart = {
  name: 'locks',
  check({ from: { run_id }, records }) {
    const held = records.find((record, i) => holdsOn(record, records[i + 1]));
    if (!held) return;
    // With its verb, because a step may have the name of the lock.
    const site = `${held.kind} ${siteOf(held)}`;
    const message = `lies behind the lock "${held.name}"; the last site before it is '${site}'`;
    throw rerunPastLock(
      `the script acquires the lock "${held.name}" at ${siteOf(held)} (call ${held.position + 1}) and holds it until its run ends; begin there: svc rerun ${run_id} --from '${site.replaceAll("'", `'\\''`)}'`,
      { errors: [{ pointer: '/from', message }] },
    );
  },
};

function holdsOn(record: RecordedSite, next: RecordedSite | undefined): boolean {
  if (record.kind !== HELD_BY_RUN || record.exit_code !== 0) return false;
  return next?.kind !== HELD_BY_COMMAND || next.name !== record.name;
}
