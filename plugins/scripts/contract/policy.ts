import { formatDuration, parseDuration } from '../../../kernel/contracts/index.ts';
import { type OpenSite, type RecordedOutcome, verbUsage } from '../../replay/contract.ts';
import { MAX_ATTEMPTS, type RetryPolicy } from '../../runs/contract.ts';

/** How a command is tried: how often, and how long each time. */
export interface CommandPolicy {
  retry?: RetryPolicy;
  timeout_ms?: number;
}

/** One attempt under a policy. */
export interface CommandAttempt {
  /** From 1; undefined without retries. */
  attempt?: number | undefined;
  timeout_ms?: number | undefined;
  /** `name#ordinal` of the step. */
  site?: string | undefined;
}

/** The options that `readPolicy` reads. */
export const POLICY_OPTIONS = ['retry', 'backoff', 'max-backoff', 'timeout'] as const;
export const POLICY_USAGE =
  '[--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>]';

/** What a command exits with that took longer than its time. */
export const TIMED_OUT = 124;

export const tookLonger = (timeout_ms: number): string =>
  `it took longer than its timeout of ${formatDuration(timeout_ms)} and was ended`;

type Options = Readonly<Record<string, string>>;

/** Undefined when none of the options is given. Throws `verb_usage` and `duration_invalid`. */
export function readPolicy(options: Options): CommandPolicy | undefined {
  if (POLICY_OPTIONS.every((name) => options[name] === undefined)) return undefined;
  const timeout_ms = positive(options, 'timeout');
  const retry = readRetry(options);
  return { ...(retry && { retry }), ...(timeout_ms !== undefined && { timeout_ms }) };
}

function readRetry(options: Options): RetryPolicy | undefined {
  const { retry } = options;
  const backoff_ms = positive(options, 'backoff');
  const max_backoff_ms = positive(options, 'max-backoff');
  if (retry === undefined) {
    if (backoff_ms === undefined && max_backoff_ms === undefined) return undefined;
    throw verbUsage('--backoff and --max-backoff are the pauses between attempts; say how many with --retry');
  }
  const attempts = /^\d{1,4}$/.test(retry) ? Number(retry) : 0;
  if (attempts < 1 || attempts > MAX_ATTEMPTS)
    throw verbUsage(
      `--retry takes a number of attempts from 1 to ${MAX_ATTEMPTS}, the first one included, not ${JSON.stringify(retry.slice(0, 60))}`,
    );
  if (max_backoff_ms === undefined) return { attempts, backoff_ms: backoff_ms ?? 0 };
  if (backoff_ms === undefined) throw verbUsage('--max-backoff needs --backoff, the first pause');
  if (max_backoff_ms < backoff_ms) throw verbUsage('--max-backoff is shorter than --backoff');
  return { attempts, backoff_ms, max_backoff_ms };
}

function positive(options: Options, name: string): number | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === 0) throw verbUsage(`--${name} must be longer than ${text}`);
  return ms;
}

/** Where attempts are counted and kept. */
export type AttemptsAt = Pick<OpenSite, 'tried' | 'rest' | 'begins' | 'again'>;

/** What an attempt came to. `final`: another one would fail in the same way. */
export interface AttemptOutcome extends RecordedOutcome {
  final?: boolean | undefined;
}

/**
 * Makes attempts until one succeeds, says that it is final, or is the last one. Those before it are kept beside the journal, so
 * that a later pass goes on counting; what this answers is the record.
 */
export async function tryAll(
  at: AttemptsAt,
  { retry, timeout_ms }: CommandPolicy,
  once: (attempt: CommandAttempt) => Promise<AttemptOutcome>,
): Promise<RecordedOutcome> {
  if (retry === undefined) return await once({ timeout_ms });
  await at.rest();
  for (let attempt = at.tried + 1; ; attempt += 1) {
    at.begins(attempt, retry.attempts);
    const { final, ...outcome } = await once({ attempt, timeout_ms });
    if (outcome.exit_code === 0 || final || attempt >= retry.attempts) return outcome;
    await at.again(outcome, { attempt, policy: retry });
  }
}
