import { type RecordedSite, type RerunPart, siteOf } from '../../runs/contract.ts';
import { rerunPastLock } from '../errors.ts';
import { HELD_BY_COMMAND, HELD_BY_RUN } from '../verbs/lock-wait.ts';

/**
 * A lock without a command is held until its run ends, and the first run has ended: the new run would not hold it. A
 * lock with a command is over with its record.
 */
export const refusePastLock: RerunPart = {
  name: 'locks',
  check({ from: { run_id }, records, job }) {
    const held = records.find((record, i) => holdsOn(record, records[i + 1]));
    if (!held) return;
    // With its verb, because a step may have the name of the lock.
    const site = `${job === undefined ? '' : `${job}/`}${held.kind} ${siteOf(held)}`;
    const message = `lies behind the lock "${held.name}"; the last site before it is '${site}'`;
    throw rerunPastLock(
      `the script acquires the lock "${held.name}" at ${siteOf(held)} (call ${held.position + 1}) and holds it until its run ends; begin there: svc rerun ${run_id} --from ${quoted(site)}`,
      { errors: [{ pointer: '/from', message }] },
    );
  },
  async keep(tx, { from: { run_id }, records }) {
    const locks = await records(tx, [HELD_BY_RUN, HELD_BY_COMMAND]);
    const held = locks.find((record, i) => holdsOn(record, locks[i + 1]));
    if (!held) return;
    throw rerunPastLock(
      `the job ${held.job} acquires the lock "${held.name}" for its run, and the rerun would keep the job; begin with it: svc rerun ${run_id} --from ${quoted(held.job)}`,
      {
        errors: [{ pointer: '/from', message: `comes after the job ${held.job}, which holds the lock "${held.name}"` }],
      },
    );
  },
};

const quoted = (site: string): string => `'${site.replaceAll("'", `'\\''`)}'`;

/** A command stands at the next place of the same journal. */
function holdsOn(record: Locked, next: Locked | undefined): boolean {
  if (record.kind !== HELD_BY_RUN || record.exit_code !== 0) return false;
  const follows = next?.activity_id === record.activity_id && next?.position === record.position + 1;
  return !follows || next?.kind !== HELD_BY_COMMAND || next.name !== record.name;
}

type Locked = RecordedSite & { activity_id?: string };
