import {
  callerOf,
  Errors,
  type HttpRequest,
  listRoute,
  pageOf,
  readPage,
  type Route,
  USER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { listedView } from './domain/view.ts';
import { SessionErrors } from './errors.ts';
import browserSession from './schema/browser-session.schema.json' with { type: 'json' };
import redeemLink from './schema/redeem-link.schema.json' with { type: 'json' };
import session from './schema/session.schema.json' with { type: 'json' };
import signInLink from './schema/sign-in-link.schema.json' with { type: 'json' };
import type { RedeemLink } from './generated/redeem-link.ts';
import type { BrowserSessions } from './service/browser-sessions.ts';
import type { SignInLinks } from './service/sign-in-links.ts';

export interface SessionRoutesOptions {
  sessions: BrowserSessions;
  links: SignInLinks;
}

const SESSION_PATH = '/api/v1/session';
const SESSIONS_PATH = '/api/v1/sessions';

export const sessionRoutes = (options: SessionRoutesOptions): Route[] => [
  ...currentSessionRoutes(options),
  ...allSessionsRoutes(options),
  oneSessionRoute(options),
  ...linkRoutes(options),
];

/** A session cannot create sessions or links, or else somebody who has its cookie for a moment could stay. */
function requireToken(request: HttpRequest) {
  const principal = callerOf(request);
  if (principal.session_id !== undefined) throw SessionErrors.tokenRequired('this request was sent with a session');
  return principal;
}

const currentSessionRoutes = ({ sessions }: SessionRoutesOptions): Route[] => [
  {
    method: 'POST',
    path: SESSION_PATH,
    operation: 'beginSession',
    summary: "Sign this browser in with a cookie, as the token's user",
    access: USER,
    responses: { 201: { description: 'The new session, which replaces the previous one.', schema: session } },
    async handle(request) {
      const { id: user_id, name: user_name, token_id, org_id } = requireToken(request);
      const who = { user_id, user_name, token: { token_id, org_id }, by: 'token' };
      const { view: json, headers } = await sessions.begin(who, request);
      return { status: 201, json, headers };
    },
  },
  {
    method: 'GET',
    path: SESSION_PATH,
    operation: 'getSession',
    summary: 'Show the session of this browser, for a page that reloads',
    access: USER,
    responses: { 200: { description: 'The session.', schema: session } },
    async handle(request) {
      const recognised = await sessions.recognise(request);
      if (recognised?.principal.id !== callerOf(request).id)
        throw Errors.notAuthenticated('this request has no session cookie');
      return { status: 200, json: sessions.view(recognised) };
    },
  },
  {
    method: 'DELETE',
    path: SESSION_PATH,
    operation: 'endSession',
    summary: 'Sign this browser out',
    access: USER,
    responses: { 204: { description: 'The browser has no session.' } },
    handle: async (request) => ({ status: 204, headers: await sessions.end(request) }),
  },
];

const allSessionsRoutes = ({ sessions }: SessionRoutesOptions): Route[] => [
  listRoute({
    path: SESSIONS_PATH,
    operation: 'listSessions',
    summary: "List the caller's sessions in all browsers, newest first",
    access: USER,
    plural: 'sessions',
    item: browserSession,
    description: 'A page of sessions.',
    async list(request) {
      const page = readPage(request.query);
      const current = (await sessions.of(request))?.session_id;
      const rows = await sessions.list(callerOf(request), page);
      const { items, ...rest } = pageOf(rows, page.limit, ({ session_id }) => session_id);
      return { items: items.map((row) => listedView(row, current)), ...rest };
    },
  }),
  {
    method: 'DELETE',
    path: SESSIONS_PATH,
    operation: 'endSessions',
    summary: 'Sign the caller out in all browsers',
    access: USER,
    responses: { 204: { description: 'The caller has no session in any browser.' } },
    handle: async (request) => ({
      status: 204,
      headers: await sessions.endAll(callerOf(request), auditSource(request)),
    }),
  },
];

const oneSessionRoute = ({ sessions }: SessionRoutesOptions): Route => ({
  method: 'DELETE',
  path: `${SESSIONS_PATH}/:session`,
  operation: 'endOneSession',
  summary: 'Sign the caller out in one browser',
  access: USER,
  responses: { 204: { description: 'The browser has no session.' } },
  async handle(request) {
    await sessions.endOne(callerOf(request), request.params.session ?? '', auditSource(request));
    return { status: 204 };
  },
});

const linkRoutes = ({ links }: SessionRoutesOptions): Route[] => [
  {
    method: 'POST',
    path: `${SESSION_PATH}/links`,
    operation: 'createSignInLink',
    summary: "Create a link that signs a browser in as the token's holder, once, within 5 minutes",
    access: USER,
    responses: { 201: { description: 'The link, which is shown only once.', schema: signInLink } },
    async handle(request) {
      return { status: 201, json: await links.make(requireToken(request), auditSource(request)) };
    },
  },
  {
    method: 'POST',
    path: `${SESSION_PATH}/redeem`,
    operation: 'redeemSignInLink',
    summary: "Sign this browser in with a link's code",
    access: { kind: 'public' },
    body: redeemLink,
    responses: { 201: { description: 'The new session, which replaces the previous one.', schema: session } },
    async handle(request) {
      const { view: json, headers } = await links.redeem((request.body as RedeemLink).code, request);
      return { status: 201, json, headers };
    },
  },
];
