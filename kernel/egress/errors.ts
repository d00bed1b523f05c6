import { defineError } from '../contracts/index.ts';

export const EgressErrors = {
  egressRefused: defineError({
    code: 'egress_refused',
    status: 422,
    title: 'The service does not send this request.',
    next: 'Correct the address or header that is named; the operator permits other addresses with SVC_EGRESS_ALLOW.',
  }),
  egressFailed: defineError({
    code: 'egress_failed',
    status: 424,
    title: 'The far end of an outbound request gave no usable answer.',
    next: 'Check the address and whether the far end is up, then try again.',
  }),
} as const;
