import { defineError } from '../../../kernel/contracts/index.ts';

export const idTokensOff = defineError({
  code: 'id_tokens_off',
  status: 409,
  title: 'This server does not issue ID tokens.',
  next: 'An operator can turn them on: set SVC_ID_TOKENS=on, and SVC_PUBLIC_URL to the address at which other systems reach the server.',
});

export const idTokenUntrusted = defineError({
  code: 'id_token_untrusted',
  status: 403,
  title: 'An untrusted run gets no ID token.',
  next: 'Let a trusted run do this work, for example after a review. Untrusted runs get no tokens, because outsiders decide what they do.',
});

export const idTokenLimit = defineError({
  code: 'id_token_limit',
  status: 429,
  title: 'The run has been issued too many ID tokens within an hour.',
  next: 'Use a token until it expires instead of requesting one for each call.',
});
