import { extensionPoint, type HttpRequest, type Principal, token } from '../../kernel/contracts/index.ts';
import type { SessionView } from './generated/session.ts';

/** A browser in which somebody signed in to the console. */
export interface Session {
  session_id: string;
  /** What this person may do is asked of `kernel.AccessControl` each time. */
  principal: Principal;
}

/** Who signs in, and by what. */
export interface SignIn {
  user_id: string;
  user_name: string;
  /** The token that stands behind it; undefined: the session may what its person may. */
  token?: { token_id: string; org_id: string | null };
  /** For people and the audit: `token`, `link`, or the name of a sign-in method. */
  by: string;
}

/** A session that was begun. The headers go to the browser with whatever it is answered. */
export interface BegunSession {
  view: SessionView;
  headers: Record<string, string>;
}

export interface Sessions {
  /** The session of the request's cookie; undefined when there is none, or it is over. */
  of(request: CookieRequest): Promise<Session | undefined>;
  /** Signs the browser of this request in, in place of the session that it had. It checks nobody's rights. */
  begin(who: SignIn, request: CookieRequest): Promise<BegunSession>;
}

/** What is read of a request with a cookie. */
export type CookieRequest = Pick<HttpRequest, 'headers' | 'ip' | 'request_id'>;

export const Sessions = token<Sessions>('sessions.Sessions');

/** A way to sign in without a token of svc. */
export interface SignInMethod {
  /** Small letters: a member of what `GET /api/v1/session/methods` answers. */
  name: string;
  /** For the page; undefined: it is not configured. `start` is where a click on it leads. */
  view(): { title: string; start: string } | undefined;
  /** Tries it without anybody signing in, for `svc doctor`. */
  check(): Promise<{ ok: boolean; says: string }>;
}

export const SignInMethods = extensionPoint<SignInMethod>('sessions.SignInMethods', {
  key: (method) => method.name,
  check: ({ name }) =>
    /^[a-z][a-z0-9_]{0,31}$/.test(name) && name !== 'token' ? undefined : `the name "${name}" cannot be used`,
});

/** Cookies of browsers: their names and attributes, where the service is at this address. */
export { cookieNamed, cookieName, setCookie } from './contract/cookies.ts';
