import { defineError } from '../../../kernel/contracts/index.ts';

export const RequestErrors = {
  requestInvalid: defineError({
    code: 'request_invalid',
    status: 422,
    title: 'The node cannot send its request.',
    next: 'Correct the member of the config that `detail` names. An expression may have produced an unexpected value.',
  }),
  /** The failure of an attempt. It is never thrown to a caller. */
  requestFailed: defineError({
    code: 'request_failed',
    status: 424,
    title: 'The response of the other server has a status that fails the request.',
    next: 'Read its response in the message. Without retry_on and fail_on_error_status, every status is data.',
  }),
  answerTooLarge: defineError({
    code: 'answer_too_large',
    status: 424,
    title: 'The response of the other server is larger than a record can be.',
    next: 'Ask for less: pages, fields, a range. Fetch large files with a script.',
  }),
} as const;
