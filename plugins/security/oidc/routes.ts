import type { HttpReply, HttpRequest, Route } from '../../../kernel/contracts/index.ts';
import { messagePage } from '../../platform/http/contract.ts';
import { CALLBACK_PATH, type OidcSignIn } from './service/sign-in.ts';

export const START_PATH = '/session/start';

/** Answers HEAD requests of link previews without beginning a sign-in or using up a code. */
const answerHead = ({ method }: HttpRequest): HttpReply | undefined =>
  method === 'HEAD' ? { status: 200, text: '', type: 'text/html; charset=utf-8' } : undefined;

/** The routes of the sign-in, whose answers people read. `signIn` is undefined when no issuer is configured. */
export function oidcRoutes(signIn: OidcSignIn | undefined, base: () => string): Route[] {
  const notOffered = (): HttpReply =>
    messagePage({
      ok: false,
      status: 404,
      title: 'No issuer is configured for sign-in',
      base: base(),
      lines: ['The operator has not configured an issuer (SVC_OIDC_ISSUER). Sign in with a token.'],
      link: { to: `${base()}/`, text: 'Redirects to the sign-in page' },
    });
  return [
    {
      method: 'GET',
      path: START_PATH,
      operation: 'startSignIn',
      summary: 'Redirect a person to the issuer for sign-in',
      access: { kind: 'public' },
      query: {
        type: 'object',
        properties: {
          to: { type: 'string', maxLength: 512, description: 'Path of this service to open after the sign-in.' },
        },
      },
      responses: { 303: { description: 'Redirects to the issuer.' } },
      handle: async (request) => answerHead(request) ?? signIn?.start(request) ?? notOffered(),
    },
    {
      method: 'GET',
      path: CALLBACK_PATH,
      operation: 'finishSignIn',
      summary: "Handle a user's return from the issuer; only the browser that started the sign-in can finish it",
      access: { kind: 'public' },
      query: { type: 'object', additionalProperties: { type: 'string' }, properties: {} },
      responses: { 303: { description: 'Signed in; redirects to the console.' } },
      handle: async (request) => answerHead(request) ?? signIn?.finish(request) ?? notOffered(),
    },
  ];
}
