import { defineError } from '../../../kernel/contracts/index.ts';

export const SessionErrors = {
  csrfFailed: defineError({
    code: 'csrf_failed',
    status: 403,
    title: 'svc cannot verify that this request comes from the console.',
    next: 'On a page of this service, send the `csrf` value from GET /api/v1/session in the X-SVC-CSRF header. Programs send a token in Authorization instead.',
  }),
  tokenRequired: defineError({
    code: 'token_required',
    status: 403,
    title: 'This needs a token, not a session.',
    next: 'Send a token as `Authorization: Bearer svc_pat_…`. `svc token create` creates one, and `svc login` stores it.',
  }),
  linkInvalid: defineError({
    code: 'link_invalid',
    status: 401,
    title: 'This sign-in link is invalid or has expired.',
    next: 'A link works once, within 5 minutes. Create another one with `svc console`, or sign in with a token.',
  }),
  linkNotOffered: defineError({
    code: 'link_not_offered',
    status: 409,
    title: 'This server has no address that a browser can open.',
    next: 'Start it with `svc dev` or `svc serve`, which listen on a port.',
  }),
} as const;
