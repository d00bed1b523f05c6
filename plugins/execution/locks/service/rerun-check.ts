import { type RecordedSite, type RerunPart, siteOf } from '../../../engine/runs/contract.ts';
import { rerunPastLock } from '../errors.ts';
import { HELD_BY_COMMAND, HELD_BY_RUN } from '../verbs/lock-wait.ts';

/**
 * Rejects reruns that start after a lock. A lock without a command is held until its run ends, and the first run has
 * ended, so the new run would not hold it. A lock with a command ends with its record.
 */
export const rerunLockCheck: RerunPart = {
  name: 'locks',
  check({ from: { run_id }, records, job }) {
    const lock = records.find((record, i) => holdsUntilEnd(record, records[i + 1]));
    if (!lock) return;
    // The site includes its verb, because a step may have the same name as the lock.
    const site = `${job === undefined ? '' : `${job}/`}${lock.kind} ${siteOf(lock)}`;
    const message = `comes after the lock "${lock.name}"; the last site before it is '${site}'`;
    throw rerunPastLock(
      `the script acquires the lock "${lock.name}" at ${siteOf(lock)} (call ${lock.position + 1}) and holds it until its run ends; start there: svc rerun ${run_id} --from ${shellQuote(site)}`,
      { errors: [{ pointer: '/from', message }] },
    );
  },
  async keep(tx, { from: { run_id }, records }) {
    const locks = await records(tx, [HELD_BY_RUN, HELD_BY_COMMAND]);
    const held = locks.find((record, i) => holdsUntilEnd(record, locks[i + 1]));
    if (!held) return;
    throw rerunPastLock(
      `the job ${held.job} acquires the lock "${held.name}" for its run, and the rerun would keep the job; start with it: svc rerun ${run_id} --from ${shellQuote(held.job)}`,
      {
        errors: [{ pointer: '/from', message: `comes after the job ${held.job}, which holds the lock "${held.name}"` }],
      },
    );
  },
};

const shellQuote = (site: string): string => `'${site.replaceAll("'", `'\\''`)}'`;

/** True unless a command follows at the next position of the same journal. */
function holdsUntilEnd(record: Locked, next: Locked | undefined): boolean {
  if (record.kind !== HELD_BY_RUN || record.exit_code !== 0) return false;
  const is_next = next?.activity_id === record.activity_id && next?.position === record.position + 1;
  return !is_next || next?.kind !== HELD_BY_COMMAND || next.name !== record.name;
}

type Locked = RecordedSite & { activity_id?: string };
