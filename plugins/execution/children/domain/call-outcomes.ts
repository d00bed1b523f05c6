import type { ServiceError } from '../../../../kernel/contracts/index.ts';
import type { Run, WaitOutcome } from '../../../engine/runs/contract.ts';

/** The exit code of a call whose run did not succeed, and of one that took too long. */
const FAILED = 1;
const TIMED_OUT = 124;
const MAX_MESSAGE_LENGTH = 4096;

const failure = (message: string, exit_code = FAILED): WaitOutcome => ({
  exit_code,
  output: Buffer.alloc(0),
  message: message.slice(0, MAX_MESSAGE_LENGTH),
});

/** What a script gets for a call or a spawn that a limit rejects. It may go on. */
export const rejectionOutcome = ({ code, message, next }: ServiceError): WaitOutcome =>
  failure(`${message} (${code})\n${next}`);

export const timeoutOutcome = (name: string): WaitOutcome =>
  failure(`the called ${name} did not end before the timeout; it is cancelled`, TIMED_OUT);

/** What a call prints and exits with when the run that it called has ended. */
export function callOutcome(run: Run): WaitOutcome {
  if (run.status === 'succeeded')
    return { exit_code: 0, output: Buffer.from(`${JSON.stringify(run.output ?? null)}\n`) };
  const reason =
    run.status === 'failed'
      ? `failed: ${run.error?.message} (${run.error?.code})`
      : `was cancelled: ${run.reason ?? ''}`;
  return failure(`the run ${run.run_id} ${reason}`);
}
