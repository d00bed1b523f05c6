import { type CommandAttempt, TIMED_OUT, tookLonger } from '../contract.ts';
import type { Reply } from './replies.ts';

/** The program that runs one attempt of a command: in its environment, and for its time. */
export interface AttemptProgram {
  path: string;
  /** Between SIGTERM and SIGKILL. */
  grace_ms: number;
}

/** What the caller is told beside the command. `under` are the words that stand before it. */
export function attemptReply({ path, grace_ms }: AttemptProgram, { attempt, timeout_ms, site }: CommandAttempt): Reply {
  const under = [path, ...[attempt, timeout_ms, grace_ms].map((number) => String(Math.ceil(number ?? 0)))];
  return { under, site, ...(attempt !== undefined && { attempt }), ...(timeout_ms !== undefined && { timeout_ms }) };
}

/** Why an attempt ended with 124; a command may also exit with that by itself. */
export function lateness({ timeout_ms }: CommandAttempt, exit_code: number, took_ms: number): string | undefined {
  if (timeout_ms === undefined || exit_code !== TIMED_OUT || took_ms < timeout_ms) return undefined;
  return tookLonger(timeout_ms);
}
