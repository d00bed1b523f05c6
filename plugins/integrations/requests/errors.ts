import { defineError } from '../../../kernel/contracts/index.ts';

export const RequestErrors = {
  requestInvalid: defineError({
    code: 'request_invalid',
    status: 422,
    title: 'The node cannot send its request.',
    next: 'Fix the config member shown in `detail`. An expression may have produced an unexpected value.',
  }),
  /** The failure of an attempt. It is never thrown to a caller. */
  requestFailed: defineError({
    code: 'request_failed',
    status: 424,
    title: "The other server's response counts as a failure.",
    next: 'The message contains the start of the response. To accept it, change retry_on, fail_on_error_status or failed_when.',
  }),
  answerTooLarge: defineError({
    code: 'answer_too_large',
    status: 424,
    title: "The other server's response is too large to record.",
    next: 'Request less data, such as one page, fewer fields or a range. Fetch large files with a script.',
  }),
} as const;
