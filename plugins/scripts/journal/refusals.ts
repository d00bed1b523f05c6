import type { ServiceError } from '../../../kernel/contracts/index.ts';
import type { Completion } from '../../runs/contract.ts';
import type { RecordedOutcome } from '../contract.ts';
import { verbUsage } from '../errors.ts';

/** The codes with which a call ends that was not carried out. */
const USAGE = 2;
const REFUSED = 1;
/** The record takes a multiple of it. */
const LONGEST_MESSAGE = 16_384;

/** What is recorded of a call that was refused at its place in the journal. */
export function refusalOutcome(error: ServiceError): RecordedOutcome {
  const usage = error.code === verbUsage.code;
  const text = usage ? error.message : `${error.code}: ${error.message}\n${error.next}`;
  const message = text.slice(0, LONGEST_MESSAGE).toWellFormed();
  return { exit_code: usage ? USAGE : REFUSED, output: Buffer.alloc(0), message };
}

/** How a run ends whose work was done and cannot be recorded. */
export function fatalRefusal(error: ServiceError): Completion {
  const message = `what a step had done could not be recorded: ${error.message} ${error.next}`;
  return { status: 'failed', code: error.code, message };
}
