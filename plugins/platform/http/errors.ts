import { defineError } from '../../../kernel/contracts/index.ts';

/** Codes that only the HTTP layer uses. */
export const HttpErrors = {
  requestTimeout: defineError({
    code: 'request_timeout',
    status: 408,
    title: 'The request took too long to arrive.',
    next: 'Nothing was done. Send the body without pauses.',
  }),
  targetTooLong: defineError({
    code: 'target_too_long',
    status: 414,
    title: 'The path and query are too long.',
    next: 'Send large values in the body.',
  }),
  expectationFailed: defineError({
    code: 'expectation_failed',
    status: 417,
    title: 'The Expect header has a value that the server does not support.',
    next: 'Send `Expect: 100-continue` or no Expect header.',
  }),
  headersTooLarge: defineError({
    code: 'headers_too_large',
    status: 431,
    title: 'The headers are too large.',
    next: 'Send fewer or shorter headers; the limit is 16 KiB in total.',
  }),
  addressInUse: defineError({
    code: 'address_in_use',
    status: 500,
    title: 'Another program is listening on this address.',
    next: 'Stop that program, or choose another port with SVC_PORT (0 chooses a free one).',
  }),
  addressUnusable: defineError({
    code: 'address_unusable',
    status: 500,
    title: 'The server cannot listen on this address.',
    next: 'Correct SVC_HOST and SVC_PORT.',
  }),
} as const;
