import type { HttpReply, HttpRequest, Route } from '../../kernel/contracts/index.ts';
import { messagePage } from '../http/contract.ts';
import { CALLBACK_PATH, type OidcSignIn } from './service/sign-in.ts';

export const START_PATH = '/session/start';

/** Programs that look ahead begin nothing, and use up no answer. */
const lookAhead = ({ method }: HttpRequest): HttpReply | undefined =>
  method === 'HEAD' ? { status: 200, text: '', type: 'text/html; charset=utf-8' } : undefined;

/** People read their answers. Undefined: no issuer is configured. */
export function oidcRoutes(signIn: OidcSignIn | undefined, base: () => string): Route[] {
  const notOffered = (): HttpReply =>
    messagePage({
      ...{ ok: false, status: 404, title: 'No issuer signs people in here', base: base() },
      lines: ['The operator of this service has not configured one (SVC_OIDC_ISSUER). Sign in with a token.'],
      link: { to: `${base()}/`, text: 'To the sign-in page' },
    });
  return [
    {
      method: 'GET',
      path: START_PATH,
      operation: 'startSignIn',
      summary: 'Send a person to the issuer that signs people in',
      access: { kind: 'public' },
      query: {
        type: 'object',
        properties: { to: { type: 'string', maxLength: 512, description: 'Path of this service to go on at.' } },
      },
      responses: { 303: { description: 'To the issuer.' } },
      handle: async (request) => lookAhead(request) ?? signIn?.start(request) ?? notOffered(),
    },
    {
      method: 'GET',
      path: CALLBACK_PATH,
      operation: 'finishSignIn',
      summary: 'Take a person who comes back from the issuer; only the browser that began it can finish it',
      access: { kind: 'public' },
      query: { type: 'object', additionalProperties: { type: 'string' }, properties: {} },
      responses: { 303: { description: 'Signed in, and on to the console.' } },
      handle: async (request) => lookAhead(request) ?? signIn?.finish(request) ?? notOffered(),
    },
  ];
}
