import { callerOf, type HttpAddress, iso, type Route, USER } from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import type { SessionView } from './generated/session.ts';
import schema from './schema/session.schema.json' with { type: 'json' };
import { type BrowserSessions, cookieOf, SESSION_MS, setCookie } from './service/browser-sessions.ts';

/** Both need the token itself, which no other site can send. */
export function sessionRoutes(sessions: BrowserSessions, address: () => HttpAddress): Route[] {
  const secure = () => address().public_url()?.startsWith('https:') ?? false;
  return [
    {
      method: 'POST',
      path: '/api/v1/session',
      operation: 'beginSession',
      summary: 'Sign this browser in, as the holder of the token, by a cookie',
      access: USER,
      responses: { 201: { description: 'The session, in place of the one before.', schema } },
      async handle(request) {
        const principal = callerOf(request);
        const { value, expires_at } = await sessions.begin(principal, auditSource(request), cookieOf(request));
        const json: SessionView = { user: principal.name, expires_at: iso(expires_at) };
        return { status: 201, json, headers: { 'set-cookie': setCookie(value, SESSION_MS / 1000, secure()) } };
      },
    },
    {
      method: 'DELETE',
      path: '/api/v1/session',
      operation: 'endSession',
      summary: 'Sign this browser out',
      access: USER,
      responses: { 204: { description: 'The browser has no session.' } },
      async handle(request) {
        await sessions.end(cookieOf(request));
        return { status: 204, headers: { 'set-cookie': setCookie('', 0, secure()) } };
      },
    },
  ];
}
