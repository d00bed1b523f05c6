import type { ActivityEnd, WaitOutcome } from '../../../engine/runs/contract.ts';
import { COMMAND } from './child-call.ts';

/** The exit code of a child whose command never returned one. */
const NOT_RUN = 1;

/** Returns the outcome of a child as its parent reads it. */
export function toWaitOutcome(end: ActivityEnd): WaitOutcome {
  if (end.result.status === 'failed') {
    const message = `child ${end.name} could not be run: ${end.result.message} (${end.result.code})`;
    return { exit_code: NOT_RUN, output: Buffer.alloc(0), message };
  }
  const { output } = end.result;
  // Any executor other than `command` returns its output as JSON.
  if (end.executor !== COMMAND) return { exit_code: 0, output: Buffer.from(`${JSON.stringify(output)}\n`) };
  const members = output !== null && typeof output === 'object' && !Array.isArray(output) ? output : {};
  const { exit_code, stdout, message } = members;
  if (typeof exit_code !== 'number' || !Number.isInteger(exit_code) || exit_code < 0 || exit_code > 255)
    return unreadableOutcome(end);
  if (typeof stdout !== 'string') return unreadableOutcome(end);
  return {
    exit_code,
    output: Buffer.from(stdout, 'base64'),
    message: typeof message === 'string' ? message : undefined,
  };
}

const unreadableOutcome = (end: ActivityEnd): WaitOutcome => ({
  exit_code: NOT_RUN,
  output: Buffer.alloc(0),
  message: `the result of child ${end.name} cannot be read; run an agent with the same version as the server`,
});
