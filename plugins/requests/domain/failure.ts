import type { EgressAnswer, ServiceError } from '../../../kernel/contracts/index.ts';
import type { Masker } from '../../masking/contract.ts';
import type { Failure } from '../../runs/contract.ts';
import type { NodeRequest } from '../contract.ts';
import { RequestErrors } from '../errors.ts';
import { excerptText } from './answer.ts';
import { MAX_ANSWER_BYTES, shownUrl } from './exchange.ts';
import { retryAfter } from '../../egress/contract.ts';

/** Characters of the body that a message shows. */
export const EXCERPT_LENGTH = 200;
/** So much of a body is masked before the excerpt is cut: no value that begins in the excerpt ends after it. */
const MASKED_LENGTH = 128 * 1024;

export interface FailureParts {
  masker: Pick<Masker, 'text'>;
  /** Epoch ms. */
  now: number;
}

/** True when the request nominates this status as a failure. */
export const isNominated = ({ retry_on = [], fail_on_error_status }: NodeRequest, status: number): boolean =>
  retry_on.includes(status) || (fail_on_error_status === true && status >= 400 && status <= 599);

/** Why an answer fails the attempt; undefined when it is data. */
export function failureOf(request: NodeRequest, answer: EgressAnswer, parts: FailureParts): Failure | undefined {
  const { status } = answer;
  if (isNominated(request, status))
    return {
      status: 'failed',
      code: RequestErrors.requestFailed.code,
      message: `${shownUrl(request)} answered ${status}${excerptOf(answer, parts.masker)}`,
      retry_after_ms: retryAfter(answer.headers['retry-after'], parts.now),
    };
  if (!answer.cut) return undefined;
  const message = `${shownUrl(request)} answered ${status} with more than ${MAX_ANSWER_BYTES} bytes`;
  return { status: 'failed', code: RequestErrors.answerTooLarge.code, message, final: true };
}

/** The beginning of the body: masked first, so that a value that the cut would divide is not shown in part. */
function excerptOf(answer: EgressAnswer, masker: FailureParts['masker']): string {
  const text = masker.text(excerptText(answer).slice(0, MASKED_LENGTH));
  const excerpt = [...text.slice(0, EXCERPT_LENGTH * 2)].slice(0, EXCERPT_LENGTH).join('');
  return excerpt === '' ? '' : `: ${excerpt}`;
}

const MAY_PASS = 424;

/** A request that could not be sent, or got no answer. Only the latter may pass. */
export const failureBy = ({ code, status, message }: ServiceError): Failure => ({
  status: 'failed',
  code,
  message,
  final: status !== MAY_PASS,
});
