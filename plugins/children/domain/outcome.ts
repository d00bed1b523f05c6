import type { ActivityEnd, WaitOutcome } from '../../runs/contract.ts';

/** What a child's activity failed with when its command never came to an exit code of its own. */
const NOT_RUN = 1;

/** What a child came to, as its parent is told. */
export function outcomeOf(end: ActivityEnd): WaitOutcome {
  if (end.result.status === 'failed') {
    const message = `child ${end.name} could not be run: ${end.result.message} (${end.result.code})`;
    return { exit_code: NOT_RUN, output: Buffer.alloc(0), message };
  }
  const { output } = end.result;
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
  message: `what child ${end.name} came to cannot be read; run an agent of the version of the server`,
});
