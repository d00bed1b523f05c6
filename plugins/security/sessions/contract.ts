import { extensionPoint, type HttpRequest, type Principal, token } from '../../../kernel/contracts/index.ts';
import type { SessionView } from './generated/session.ts';

/** A browser in which somebody signed in to the console. */
export interface Session {
  session_id: string;
  /** The person. `kernel.AccessControl` decides each time what this person may do. */
  principal: Principal;
}

/** Who signs in, and how. */
export interface SignIn {
  user_id: string;
  user_name: string;
  /** The token that the session is based on. Without one, the session has all rights of its person. */
  token?: { token_id: string; org_id: string | null };
  /** How the person signed in, for people and the audit: `token`, `link`, or the name of a sign-in method. */
  by: string;
}

/** A new session. Its headers must be sent to the browser with the answer. */
export interface BegunSession {
  view: SessionView;
  headers: Record<string, string>;
}

export interface Sessions {
  /** Returns the session of the request's cookie; undefined when there is none, or when it has ended. */
  of(request: CookieRequest): Promise<Session | undefined>;
  /** Signs in the browser of this request, and replaces the session that it had. It checks no permissions. */
  begin(who: SignIn, request: CookieRequest): Promise<BegunSession>;
}

/** The properties of a request that sessions read. */
export type CookieRequest = Pick<HttpRequest, 'headers' | 'ip' | 'request_id'>;

export const Sessions = token<Sessions>('sessions.Sessions');

/** A way to sign in without a token of svc. */
export interface SignInMethod {
  /** The name in lower case, which is a member of the answer of `GET /api/v1/session/methods`. */
  name: string;
  /** Returns what the sign-in page shows, and where it leads; undefined when the method is not configured. */
  view(): { title: string; start: string } | undefined;
  /** Checks the method for `svc doctor`, without anybody signing in. */
  check(): Promise<{ ok: boolean; says: string }>;
}

export const SignInMethods = extensionPoint<SignInMethod>('sessions.SignInMethods', {
  key: (method) => method.name,
  check: ({ name }) =>
    /^[a-z][a-z0-9_]{0,31}$/.test(name) && name !== 'token' ? undefined : `the name "${name}" cannot be used`,
});

/** The names and attributes of cookies, which depend on the address of the service. */
export { cookieNamed, cookieName, setCookie } from './contract/cookies.ts';
