import { defineError } from '../../../kernel/contracts/index.ts';

export const EgressErrors = {
  egressRefused: defineError({
    code: 'egress_refused',
    status: 422,
    title: 'The service is not allowed to send this request.',
    next: 'Fix the address or header shown in `detail`. The operator can permit other addresses with SVC_EGRESS_ALLOW.',
  }),
  egressFailed: defineError({
    code: 'egress_failed',
    status: 424,
    title: 'The other server did not send a usable response to an outbound request.',
    next: 'Check the address, check that the server is running, and try again.',
  }),
  answerRatioExceeded: defineError({
    code: 'answer_ratio_exceeded',
    status: 422,
    title: 'A response is too large after decompression.',
    next: 'Request less data from that server, or an uncompressed response. An operator can raise SVC_DECOMPRESSION_RATIO.',
  }),
} as const;
