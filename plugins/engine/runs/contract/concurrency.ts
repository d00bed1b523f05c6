import { type Fault, formatDuration, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import type { Json } from './run.ts';

/** A group of runs of which a limited number continue at a time, or start in a period. */
export interface RunConcurrency {
  /** The name of the lock. */
  group: string;
  /** Default: 1, or with a throttle 1000. */
  limit?: number;
  /** What happens to earlier runs of the group. Default: `queue`. */
  policy?: 'queue' | 'cancel-pending' | 'cancel-running';
  throttle?: GroupThrottle;
}

/** How many runs of a group start in any period of this length. */
export interface GroupThrottle {
  limit: number;
  /** A duration from 1 second to 7 days. */
  period: string;
}

/** The bounds of the period of a throttle. */
export const MIN_PERIOD_MS = 1000;
export const MAX_PERIOD_MS = 7 * 86_400_000;

/** Why a text is no period of a throttle; undefined when it is one. */
export function validatePeriod(text: string): string | undefined {
  try {
    const ms = parseDuration(text);
    if (ms >= MIN_PERIOD_MS && ms <= MAX_PERIOD_MS) return undefined;
    return `must be ${formatDuration(MIN_PERIOD_MS)} to ${formatDuration(MAX_PERIOD_MS)}`;
  } catch (error) {
    if (!isServiceError(error, 'duration_invalid')) throw error;
    return error.message;
  }
}

/** The faults of a group whose shape is valid. `at`: where it stands, as a JSON pointer. */
export function findConcurrencyErrors({ throttle }: Pick<RunConcurrency, 'throttle'>, at: string): Fault[] {
  const message = throttle && validatePeriod(throttle.period);
  return message === undefined ? [] : [{ pointer: `${at}/throttle/period`, message }];
}

/** The arguments of the wait for a group. Those of a group without options are what earlier versions wrote. */
export function concurrencyArgs(
  of: 'run' | 'job',
  { limit, policy = 'queue', throttle }: Omit<RunConcurrency, 'group'>,
): { [name: string]: Json } {
  return {
    of,
    policy,
    ...(limit !== undefined && (limit !== 1 || throttle !== undefined) && { limit }),
    ...(throttle && { throttle: { limit: throttle.limit, period_ms: parseDuration(throttle.period) } }),
  };
}
