import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, Exit, type Output } from '../../../../cli/contract.ts';

const MIN_PAUSE_MS = 200;
const LONGEST_MS = 5000;
/** Failures in a row, without progress, after which a command gives up. */
export const MAX_FAILURES = 8;

/** True for a broken connection or an unavailable server; the same request may succeed a moment later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof CliError && (error.exit === Exit.unreachable || PASSING.includes(error.code));

const PASSING: readonly string[] = [
  'artifact_offset_wrong',
  'artifact_upload_taken',
  'request_timeout',
  'rate_limited',
];

/** Waits longer each time, and reports the reason once. */
export async function pause(failures: number, output: Output, what: string): Promise<void> {
  if (failures === 1) output.note(`${what} was interrupted; resuming`);
  await sleep(Math.min(MIN_PAUSE_MS * 2 ** failures, LONGEST_MS));
}
