import { isServiceError, type ServiceError } from '../../../../kernel/contracts/index.ts';
import { type Completion, MAX_MESSAGE_LENGTH } from '../../../engine/runs/contract.ts';
import { type RecordedOutcome, verbUsage } from '../contract.ts';
import { determinismViolation } from '../errors.ts';

/** Exit codes of calls that were rejected. */
const EXIT_USAGE = 2;
const EXIT_REJECTED = 1;

/** The codes by which the server says that this claim may no longer write anything. */
const LOST_CLAIM_CODES: ReadonlySet<string> = new Set(['lease_lost', 'run_finished', 'journal_conflict']);

export const isClaimLost = (error: unknown): boolean => isServiceError(error) && LOST_CLAIM_CODES.has(error.code);

/** The end of a run whose script made other calls than those recorded. */
export const violationCompletion = (message: string): Completion => ({
  status: 'failed',
  code: determinismViolation.code,
  message,
});

/** Returns the record of a call that was rejected at its position. */
export function rejectionOutcome(error: ServiceError): RecordedOutcome {
  const usage = error.code === verbUsage.code;
  const text = usage ? error.message : `${error.code}: ${error.message}\n${error.next}`;
  const message = text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
  return { exit_code: usage ? EXIT_USAGE : EXIT_REJECTED, output: Buffer.alloc(0), message };
}

/** Returns the end of a run whose work was done but cannot be recorded. */
export function unrecordableCompletion(error: ServiceError): Completion {
  const message = `the result of a step could not be recorded: ${error.message}. ${error.next}`;
  return { status: 'failed', code: error.code, message };
}
