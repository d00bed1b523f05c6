import { createHash } from 'node:crypto';
import type { Database, HttpReply, HttpRequest, Ids } from '../../../../kernel/contracts/index.ts';
import type { Audit } from '../../../platform/audit/contract.ts';
import { messagePage } from '../../../platform/http/contract.ts';
import { cookieNamed, cookieName, setCookie, type Sessions } from '../../sessions/contract.ts';
import { mappedRoles, dropUnverifiedEmail, preferredName } from '../domain/claims.ts';
import type { OidcSettings } from '../domain/read-settings.ts';
import { safeReturnPath } from '../domain/urls.ts';
import {
  createAuthorizationRequest,
  verifyState,
  isBrowserSecret,
  type AuthorizationRequest,
} from '../domain/authorization-request.ts';
import type { Issuer } from './issuer.ts';
import type { People, User } from './people.ts';
import type { Roles } from './roles.ts';

const COOKIE = 'svc_sign_in';
const COOKIE_MS = 600_000;
export const CALLBACK_PATH = '/session/callback';
const RETRY_HINT = 'Nothing was changed. Start again on the sign-in page.';

export interface SignInOptions {
  settings: OidcSettings;
  issuer: Issuer;
  people: People;
  roles: Roles;
  sessions: Sessions;
  audit: Audit;
  database: Database;
  ids: Ids;
  /** Returns the address of the console. */
  base: () => string;
}

/** Sends people to the issuer, and signs those in who come back from it. */
export class OidcSignIn {
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  async start(request: HttpRequest): Promise<HttpReply> {
    const { issuer, ids, database } = this.#options;
    const cookie_secret = this.#secretOf(request);
    // A second tab must not break the sign-in of the first, so they share the secret.
    const secret = isBrowserSecret(cookie_secret) ? cookie_secret : ids.bytes(32).toString('base64url');
    const sign_in = createAuthorizationRequest(secret, ids.bytes(16), database.now(), safeReturnPath(request.query.to));
    const challenge = createHash('sha256').update(sign_in.verifier).digest('base64url');
    const authorize = await issuer.authorizeUrl(sign_in, challenge, this.#redirectUri());
    if ('error' in authorize)
      return this.#errorPage(424, `${issuer.title} cannot be reached`, authorize.error, RETRY_HINT);
    return {
      status: 303,
      text: '',
      type: 'text/plain',
      headers: { location: authorize.url, ...this.#cookie(secret, COOKIE_MS) },
    };
  }

  async finish(request: HttpRequest): Promise<HttpReply> {
    const { issuer, database } = this.#options;
    const sign_in = verifyState(this.#secretOf(request), request.query.state, database.now());
    if (sign_in === 'foreign')
      return this.#errorPage(
        403,
        'This was started in another browser',
        'Only the browser that started it can finish it.',
        RETRY_HINT,
      );
    if (sign_in === 'late')
      return this.#errorPage(400, 'This took too long', 'A response is rejected after ten minutes.', RETRY_HINT);
    const identified = await issuer.identify(new URLSearchParams(request.query), sign_in, this.#redirectUri());
    if (!('error' in identified)) return this.#admit(request, sign_in, identified);
    if (identified.denied)
      return this.#errorPage(403, `${issuer.title} did not sign you in`, `It says: ${identified.error}.`, RETRY_HINT);
    return this.#errorPage(424, `${issuer.title} did not identify you`, `${identified.error}.`, RETRY_HINT);
  }

  async #admit(
    request: HttpRequest,
    sign_in: AuthorizationRequest,
    identified: { subject: string; claims: Readonly<Record<string, unknown>> },
  ) {
    const { settings, people, roles, sessions } = this.#options;
    const { subject } = identified;
    const claims = dropUnverifiedEmail(identified.claims);
    const iss = settings.issuer.href;
    const desired = await roles.resolve(mappedRoles(claims, settings.roles));
    const found_before = await people.find(iss, subject);
    // Before anything is given: whoever was away so long that they are being removed is somebody new.
    const existing = (await people.noteSignIn(iss, subject)) ? found_before : undefined;
    if (!existing && desired.length === 0) return this.#rejectWithoutRole(request, preferredName(claims));
    const user = existing ?? (await people.create(iss, subject, preferredName(claims)));
    // The service itself gives these roles, because of what the issuer says.
    const by = { principal: null, request_id: request.request_id, ip: request.ip };
    if (!(await roles.apply(user, desired, by))) return this.#rejectWithoutRole(request, user.name, user);
    const who = { user_id: user.user_id, user_name: user.name, by: 'oidc' };
    const { headers } = await sessions.begin(who, request);
    return this.#redirectTo(sign_in, headers);
  }

  async #rejectWithoutRole(request: HttpRequest, name: string, user?: User): Promise<HttpReply> {
    const { audit, database, issuer } = this.#options;
    const { request_id, ip } = request;
    const principal = user && { kind: 'user' as const, id: user.user_id, name, token_id: '', org_id: null };
    await audit.record(database, {
      principal,
      request_id,
      ip,
      org_id: '',
      project_id: null,
      action: 'session.refused',
      subject: name,
      detail: `oidc: no role for the claims of ${issuer.title}`,
    });
    return this.#errorPage(
      403,
      'You have no role here',
      `${issuer.title} signed you in, but your claims give you no role in this service.`,
      'Ask the operator of this service for one: SVC_OIDC_ROLES maps claims to roles.',
    );
  }

  /** Redirects to the page after signing in. The sign-in cookie may stay, because the issuer accepts each code only once. */
  #redirectTo(sign_in: AuthorizationRequest, headers: Record<string, string>): HttpReply {
    return {
      status: 303,
      text: '',
      type: 'text/plain',
      headers: { ...headers, location: `${this.#options.base()}${sign_in.return_path}` },
    };
  }

  #errorPage(status: number, title: string, ...lines: string[]): HttpReply {
    const base = this.#options.base();
    return messagePage({
      ok: false,
      status,
      title,
      lines,
      link: { to: `${base}/`, text: 'Redirects to the sign-in page' },
      base,
    });
  }

  #redirectUri(): string {
    return `${this.#options.base()}${CALLBACK_PATH}`;
  }

  #secure(): boolean {
    return this.#options.base().startsWith('https:');
  }

  #secretOf(request: HttpRequest): string | undefined {
    return cookieNamed(cookieName(COOKIE, this.#secure()), request);
  }

  #cookie(value: string, max_age_ms: number): Record<string, string> {
    return { 'set-cookie': setCookie(cookieName(COOKIE, this.#secure()), value, max_age_ms, this.#secure()) };
  }
}
