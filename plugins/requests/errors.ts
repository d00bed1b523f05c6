import { defineError } from '../../kernel/contracts/index.ts';

export const RequestErrors = {
  requestInvalid: defineError({
    code: 'request_invalid',
    status: 422,
    title: 'The request of a node cannot be sent.',
    next: 'Correct the member of the config that `detail` names. An expression may have produced another value than expected.',
  }),
  /** Never thrown to a caller: the failure of an attempt. */
  requestFailed: defineError({
    code: 'request_failed',
    status: 424,
    title: 'The other server answered with a status that fails the request.',
    next: 'Read its answer in the message. Without retry_on and fail_on_error_status every status is data.',
  }),
  answerTooLarge: defineError({
    code: 'answer_too_large',
    status: 424,
    title: 'The other server answered with more than a record can hold.',
    next: 'Ask for less: pages, fields, a range. Fetch large files with a script.',
  }),
} as const;
