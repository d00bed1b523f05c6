import type { ActivityEnd, WaitOutcome } from '../../runs/contract.ts';
import { COMMAND } from './child-call.ts';

/** The exit code when a child's command never returned one. */
const NOT_RUN = 1;

/** The outcome of a child for its parent. */
export function outcomeOf(end: ActivityEnd): WaitOutcome {
  if (end.result.status === 'failed') {
    const message = `child ${end.name} could not be run: ${end.result.message} (${end.result.code})`;
    return { exit_code: NOT_RUN, output: Buffer.alloc(0), message };
  }
  const { output } = end.result;
  // What anything but a command comes to is its output, as JSON.
  if (end.executor !== COMMAND) return { exit_code: 0, output: Buffer.from(`${JSON.stringify(output)}\n`) };
  const given = output !== null && typeof output === 'object' && !Array.isArray(output) ? output : {};
  const { exit_code, stdout, message } = given;
  if (typeof exit_code !== 'number' || !Number.isInteger(exit_code) || exit_code < 0 || exit_code > 255)
    return unreadable(end);
  if (typeof stdout !== 'string') return unreadable(end);
  return {
    exit_code,
    output: Buffer.from(stdout, 'base64'),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

const unreadable = (end: ActivityEnd): WaitOutcome => ({
  exit_code: NOT_RUN,
  output: Buffer.alloc(0),
  message: `the result of child ${end.name} cannot be read; run an agent of the same version as the server`,
});
