import { isServiceError, type ServiceError } from '../../../kernel/contracts/index.ts';
import { type Completion, MAX_MESSAGE_LENGTH } from '../../runs/contract.ts';
import { type RecordedOutcome, verbUsage } from '../contract.ts';
import { determinismViolation } from '../errors.ts';

/** Exit codes of calls that were refused. */
const USAGE = 2;
const REFUSED = 1;

/** The codes with which the server says that this claim may write nothing any more. */
const CLAIM_OVER: ReadonlySet<string> = new Set(['lease_lost', 'run_finished', 'journal_conflict']);

export const saysClaimIsOver = (error: unknown): boolean => isServiceError(error) && CLAIM_OVER.has(error.code);

/** The end of a run whose script made other calls than it had recorded. */
export const violation = (message: string): Completion => ({
  status: 'failed',
  code: determinismViolation.code,
  message,
});

/** The record of a call that was refused at its position. */
export function refusalOutcome(error: ServiceError): RecordedOutcome {
  const usage = error.code === verbUsage.code;
  const text = usage ? error.message : `${error.code}: ${error.message}\n${error.next}`;
  const message = text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
  return { exit_code: usage ? USAGE : REFUSED, output: Buffer.alloc(0), message };
}

/** The end of a run whose work was done but cannot be recorded. */
export function fatalRefusal(error: ServiceError): Completion {
  const message = `what a step had done could not be recorded: ${error.message} ${error.next}`;
  return { status: 'failed', code: error.code, message };
}
