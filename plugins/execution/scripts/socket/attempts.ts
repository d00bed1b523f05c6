import { type CommandAttempt, TIMED_OUT, timeoutMessage } from '../contract.ts';
import type { Reply } from './replies.ts';

/** The program that runs one attempt of a command with its environment and its timeout. */
export interface AttemptProgram {
  path: string;
  /** The time between SIGTERM and SIGKILL. */
  grace_ms: number;
}

/** Returns what the response adds to the command. `under` holds the words that precede it. */
export function attemptReply({ path, grace_ms }: AttemptProgram, { attempt, timeout_ms, site }: CommandAttempt): Reply {
  const under = [path, ...[attempt, timeout_ms, grace_ms].map((number) => String(Math.ceil(number ?? 0)))];
  return { under, site, attempt, timeout_ms };
}

/** Explains why an attempt ended with exit code 124, which a command may also return by itself. */
export function describeTimeout(
  { timeout_ms }: CommandAttempt,
  exit_code: number,
  elapsed_ms: number,
): string | undefined {
  if (timeout_ms === undefined || exit_code !== TIMED_OUT || elapsed_ms < timeout_ms) return undefined;
  return timeoutMessage(timeout_ms);
}
