import { type Clock, rest as restBy } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import { endOfOutput, PARKED_PAUSE_MS, pauseAfter, startOfMessage } from '../../runs/contract.ts';
import type { AttemptsAt } from '../contract.ts';

/** What ends a pass whose activity is parked between two attempts. */
export class ParkedBetween extends Error {}

/** Activities that are one command keep their attempts where a script would keep those of its first call. */
const PLACE = { position: 0, kind: 'activity', ordinal: 0, digest: '' };

/** The attempts of an activity that is one command. `over` says whether the pass is being stopped. */
export function commandAttempts(
  { tried, name }: Assignment,
  host: ActivityHost,
  clock: Clock,
  over: () => boolean,
): AttemptsAt {
  let started_at = clock.now();
  let ended = (): void => {};
  const rest = async (ms: number) => {
    if (ms > 0 && !over()) await new Promise<void>((passed) => void restBy(clock, ms, passed));
    if (over()) throw new ParkedBetween();
    started_at = clock.now();
  };
  return {
    tried: tried?.attempts ?? 0,
    rest: () => rest(tried?.pause_ms ?? 0),
    begins(attempt, attempts) {
      ended = host.underWay?.({ kind: 'activity', name, ordinal: 0, attempt, attempts }) ?? ended;
    },
    async again({ exit_code, output, message }, { attempt, policy }) {
      ended();
      const pause_ms = pauseAfter(attempt, policy);
      const park = pause_ms >= PARKED_PAUSE_MS;
      if (over()) throw new ParkedBetween();
      const end = endOfOutput(host.masker.bytes(output)).toString('base64');
      const why = message && startOfMessage(host.masker.text(message));
      const outcome = { exit_code, output: end, message: why, pause_ms, park, started_at };
      const answer = await host.attempt({ ...PLACE, name, attempt, attempts: policy.attempts, ...outcome });
      if ('parked' in answer) throw new ParkedBetween();
      await rest(pause_ms);
    },
  };
}
