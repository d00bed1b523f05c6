import { defineError } from '../../kernel/contracts/index.ts';

export const EgressErrors = {
  egressRefused: defineError({
    code: 'egress_refused',
    status: 422,
    title: 'The service refuses to send this request.',
    next: 'Correct the address or header that `detail` names. The operator can permit other addresses with SVC_EGRESS_ALLOW.',
  }),
  egressFailed: defineError({
    code: 'egress_failed',
    status: 424,
    title: 'The other server gave no usable answer to an outbound request.',
    next: 'Check the address and whether that server runs, then try again.',
  }),
  answerRatioExceeded: defineError({
    code: 'answer_ratio_exceeded',
    status: 422,
    title: 'A compressed answer becomes far larger than what was sent.',
    next: 'Ask that server for less, or for an answer without compression. An operator can raise SVC_DECOMPRESSION_RATIO.',
  }),
} as const;
