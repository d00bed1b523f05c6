import { hash } from 'node:crypto';

/** Hashes parts with their lengths, so that two lists of parts never collide. */
function digest(parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''), 'hex');
}

/**
 * `SVC_IDEMPOTENCY_KEY`: 64 hex digits from run, job and site, never from the attempt. The far end of a step recognises a
 * repeat after a crash, and never confuses two runs. `job` is a job of the run by its name, or else an activity by its id.
 */
export function idempotencyKey(
  { run_id, job }: { run_id: string; job: string },
  site: { kind: string; name: string; ordinal: number },
): string {
  return digest(['svc/step/v1', run_id, job, site.kind, site.name, String(site.ordinal)]);
}

/** The executor of programs that may be jobs of a run. */
const SCRIPT = 'script';

/** What the keys of an activity's steps are made of: its name where a coordinator has made it a job, or else its id. */
export const jobOf = (
  { coordinator }: { coordinator: string | null },
  activity: { activity_id: string; name: string; executor: string; parent: string | null },
): string =>
  coordinator !== null && activity.parent === null && activity.executor === SCRIPT
    ? activity.name
    : activity.activity_id;
