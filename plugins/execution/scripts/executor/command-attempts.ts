import { type Clock, rest as restBy } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import { endOfOutput, PARKED_PAUSE_MS, pauseAfter, startOfMessage } from '../../../engine/runs/contract.ts';
import type { AttemptTracker } from '../contract.ts';

/** Thrown to end a pass whose activity is parked between two attempts. */
export class ParkedBetweenAttempts extends Error {}

/**
 * The site under which an activity that is one command records its attempts, where a script would record those of its
 * first call.
 */
const ACTIVITY_SITE = { position: 0, kind: 'activity', ordinal: 0, digest: '' };

/** Runs the attempts of an activity that is one command. `isStopping` says whether the pass is being stopped. */
export function trackAttempts(
  { tried, name }: Assignment,
  host: ActivityHost,
  clock: Clock,
  isStopping: () => boolean,
): AttemptTracker {
  let started_at = clock.now();
  let finishAttempt = (): void => {};
  const rest = async (ms: number) => {
    if (ms > 0 && !isStopping()) await new Promise<void>((passed) => void restBy(clock, ms, passed));
    if (isStopping()) throw new ParkedBetweenAttempts();
    started_at = clock.now();
  };
  return {
    failed_attempts: tried?.attempts ?? 0,
    waitForPause: () => rest(tried?.pause_ms ?? 0),
    reportAttempt(attempt, attempts) {
      finishAttempt = host.reportCall?.({ kind: 'activity', name, ordinal: 0, attempt, attempts }) ?? finishAttempt;
    },
    async recordFailure({ exit_code, output, message }, { attempt, policy }) {
      finishAttempt();
      const pause_ms = pauseAfter(attempt, policy);
      const park = pause_ms >= PARKED_PAUSE_MS;
      if (isStopping()) throw new ParkedBetweenAttempts();
      const output_end = endOfOutput(host.masker.bytes(output)).toString('base64');
      const why = message && startOfMessage(host.masker.text(message));
      const outcome = { exit_code, output: output_end, message: why, pause_ms, park, started_at };
      const response = await host.attempt({ ...ACTIVITY_SITE, name, attempt, attempts: policy.attempts, ...outcome });
      if ('parked' in response) throw new ParkedBetweenAttempts();
      await rest(pause_ms);
    },
  };
}
