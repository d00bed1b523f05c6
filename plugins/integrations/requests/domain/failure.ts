import type { EgressAnswer, Expressions, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { Masker } from '../../../security/masking/contract.ts';
import type { Failure } from '../../../engine/runs/contract.ts';
import type { NodeAnswer, NodeRequest } from '../contract.ts';
import { evaluateFailedWhen } from '../contract/answer-rules.ts';
import { RequestErrors } from '../errors.ts';
import { excerptText } from './node-answer.ts';
import { MAX_ANSWER_BYTES, displayUrl } from './egress-request.ts';
import { retryAfter } from '../../../platform/egress/contract.ts';

/** Characters of the body that a message shows. */
export const EXCERPT_LENGTH = 200;
/**
 * The masked prefix of a body. It is longer than the excerpt, so that a value that begins in the excerpt is masked as a
 * whole.
 */
const MASKED_LENGTH = 128 * 1024;

export interface FailureContext {
  masker: Pick<Masker, 'text'>;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Returns true when the request declares this status a failure. */
export const isNominated = ({ retry_on = [], fail_on_error_status }: NodeRequest, status: number): boolean =>
  retry_on.includes(status) || (fail_on_error_status === true && status >= 400 && status <= 599);

/** Returns the failure of the attempt; undefined when the answer is data. */
export function toFailure(request: NodeRequest, answer: EgressAnswer, context: FailureContext): Failure | undefined {
  const { status } = answer;
  if (isNominated(request, status)) return toStatusFailure(request, answer, context);
  if (!answer.truncated) return undefined;
  const message = `${displayUrl(request)} answered ${status} with more than ${MAX_ANSWER_BYTES} bytes`;
  return { status: 'failed', code: RequestErrors.answerTooLarge.code, message, final: true };
}

const toStatusFailure = (request: NodeRequest, answer: EgressAnswer, { masker, now }: FailureContext): Failure => ({
  status: 'failed',
  code: RequestErrors.requestFailed.code,
  message: `${displayUrl(request)} answered ${answer.status}${maskedExcerpt(answer, masker)}`,
  retry_after_ms: retryAfter(answer.headers['retry-after'], now),
});

/** Returns the failure of a page: without the items of each page, there is no list. */
export const toPageFailure = (
  request: NodeRequest,
  answer: EgressAnswer,
  context: FailureContext,
): Failure | undefined =>
  answer.status >= 200 && answer.status <= 299 ? undefined : toStatusFailure(request, answer, context);

/** The failure of a page that is not what `paginate` describes. Another attempt gets the same page. */
export const toUnusableFailure = (request: NodeRequest, { status }: EgressAnswer, problem: string): Failure => ({
  status: 'failed',
  code: RequestErrors.requestFailed.code,
  message: `${displayUrl(request)} answered ${status}, but ${problem}`,
  final: true,
});

/** Returns the failure that `failed_when` recognizes; undefined when the answer is data. */
export function toDeclaredFailure(
  request: NodeRequest,
  answer: EgressAnswer,
  read: NodeAnswer,
  { masker, now, expressions }: FailureContext & { expressions: Expressions },
): Failure | undefined {
  if (request.failed_when === undefined) return undefined;
  const failed = evaluateFailedWhen(request.failed_when, read, expressions);
  if (failed === undefined) return undefined;
  const { reason, message, final } = failed;
  const detail = message === undefined ? maskedExcerpt(answer, masker) : `: ${truncateText(message, masker)}`;
  return {
    status: 'failed',
    code: RequestErrors.requestFailed.code,
    message: `${displayUrl(request)} answered ${read.status}, a failure by failed_when${reason ? ` (${reason})` : ''}${detail}`,
    retry_after_ms: retryAfter(answer.headers['retry-after'], now),
    ...(final ? { final } : {}),
  };
}

/** Masks a text and truncates it to the length that a message shows, in this order, so that no value is shown in part. */
function truncateText(text: string, masker: FailureContext['masker']): string {
  const masked = masker.text(text.slice(0, MASKED_LENGTH));
  return [...masked.slice(0, EXCERPT_LENGTH * 2)].slice(0, EXCERPT_LENGTH).join('');
}

/** Returns the beginning of the body. */
function maskedExcerpt(answer: EgressAnswer, masker: FailureContext['masker']): string {
  const excerpt = truncateText(excerptText(answer), masker);
  return excerpt === '' ? '' : `: ${excerpt}`;
}

const RETRYABLE_STATUS = 424;

/** A request that could not be sent, or got no answer. Only the latter may pass. */
export const toSendFailure = ({ code, status, message }: ServiceError): Failure => ({
  status: 'failed',
  code,
  message,
  final: status !== RETRYABLE_STATUS,
});
