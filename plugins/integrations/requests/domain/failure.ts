import type { EgressAnswer, ServiceError } from '../../../../kernel/contracts/index.ts';
import type { Masker } from '../../../security/masking/contract.ts';
import type { Failure } from '../../../engine/runs/contract.ts';
import type { NodeRequest } from '../contract.ts';
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
  if (isNominated(request, status))
    return {
      status: 'failed',
      code: RequestErrors.requestFailed.code,
      message: `${displayUrl(request)} answered ${status}${maskedExcerpt(answer, context.masker)}`,
      retry_after_ms: retryAfter(answer.headers['retry-after'], context.now),
    };
  if (!answer.truncated) return undefined;
  const message = `${displayUrl(request)} answered ${status} with more than ${MAX_ANSWER_BYTES} bytes`;
  return { status: 'failed', code: RequestErrors.answerTooLarge.code, message, final: true };
}

/** Returns the beginning of the body. It is masked before it is truncated, so that no value is shown in part. */
function maskedExcerpt(answer: EgressAnswer, masker: FailureContext['masker']): string {
  const text = masker.text(excerptText(answer).slice(0, MASKED_LENGTH));
  const excerpt = [...text.slice(0, EXCERPT_LENGTH * 2)].slice(0, EXCERPT_LENGTH).join('');
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
