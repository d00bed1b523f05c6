import { formatDuration, parseDuration } from '../../../../kernel/contracts/index.ts';
import { type OpenSite, type RecordedOutcome, verbUsage } from '../../replay/contract.ts';
import { MAX_ATTEMPTS, type RetryPolicy } from '../../../engine/runs/contract.ts';

/** How often a command is attempted, and how long each attempt may take. */
export interface CommandPolicy {
  retry?: RetryPolicy;
  timeout_ms?: number;
}

/** One attempt under a policy. */
export interface CommandAttempt {
  /** Counted from 1; undefined without retries. */
  attempt?: number | undefined;
  timeout_ms?: number | undefined;
  /** The site of the step, `name#ordinal`. */
  site?: string | undefined;
}

/** The options that `readPolicy` parses. */
export const POLICY_OPTIONS = ['retry', 'backoff', 'max-backoff', 'timeout'] as const;
export const POLICY_USAGE =
  '[--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>]';

/** Exit code of a command that exceeded its timeout. */
export const TIMED_OUT = 124;

export const timeoutMessage = (timeout_ms: number): string =>
  `it took longer than its timeout of ${formatDuration(timeout_ms)} and was stopped`;

type Options = Readonly<Record<string, string>>;

/** Parses the policy options; undefined if none is given. Throws `verb_usage` and `duration_invalid`. */
export function readPolicy(options: Options): CommandPolicy | undefined {
  if (POLICY_OPTIONS.every((name) => options[name] === undefined)) return undefined;
  const timeout_ms = readPositiveDuration(options, 'timeout');
  const retry = readRetry(options);
  return { retry, timeout_ms };
}

function readRetry(options: Options): RetryPolicy | undefined {
  const { retry } = options;
  const backoff_ms = readPositiveDuration(options, 'backoff');
  const max_backoff_ms = readPositiveDuration(options, 'max-backoff');
  if (retry === undefined) {
    if (backoff_ms === undefined && max_backoff_ms === undefined) return undefined;
    throw verbUsage(
      '--backoff and --max-backoff are the pauses between attempts; set the number of attempts with --retry',
    );
  }
  const attempts = /^\d{1,4}$/.test(retry) ? Number(retry) : 0;
  if (attempts < 1 || attempts > MAX_ATTEMPTS)
    throw verbUsage(
      `--retry needs a number of attempts from 1 to ${MAX_ATTEMPTS}, including the first, not ${JSON.stringify(retry.slice(0, 60))}`,
    );
  if (max_backoff_ms === undefined) return { attempts, backoff_ms: backoff_ms ?? 0 };
  if (backoff_ms === undefined) throw verbUsage('--max-backoff needs --backoff, the first pause');
  if (max_backoff_ms < backoff_ms) throw verbUsage('--max-backoff is shorter than --backoff');
  return { attempts, backoff_ms, max_backoff_ms };
}

function readPositiveDuration(options: Options, name: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === 0) throw verbUsage(`--${name} must be longer than ${text}`);
  return ms;
}

/** Where attempts are counted and recorded. */
export type AttemptTracker = Pick<OpenSite, 'failed_attempts' | 'waitForPause' | 'reportAttempt' | 'recordFailure'>;

/** The outcome of an attempt. `final` means that another one would fail in the same way. */
export interface AttemptOutcome extends RecordedOutcome {
  final?: boolean | undefined;
}

/**
 * Runs attempts until one succeeds, is final, or is the last. Earlier ones are recorded besides the journal, so that
 * a later pass continues to count; the returned outcome becomes the record.
 */
export async function runAttempts(
  tracker: AttemptTracker,
  { retry, timeout_ms }: CommandPolicy,
  runAttempt: (attempt: CommandAttempt) => Promise<AttemptOutcome>,
): Promise<RecordedOutcome> {
  if (retry === undefined) return await runAttempt({ timeout_ms });
  await tracker.waitForPause();
  for (let attempt = tracker.failed_attempts + 1; ; attempt += 1) {
    tracker.reportAttempt(attempt, retry.attempts);
    const { final, ...outcome } = await runAttempt({ attempt, timeout_ms });
    if (outcome.exit_code === 0 || final || attempt >= retry.attempts) return outcome;
    await tracker.recordFailure(outcome, { attempt, policy: retry });
  }
}
