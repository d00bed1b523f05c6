import { createHash } from 'node:crypto';
import type { Database, HttpReply, HttpRequest, Ids } from '../../../kernel/contracts/index.ts';
import type { Audit } from '../../audit/contract.ts';
import { messagePage } from '../../http/contract.ts';
import { cookieNamed, cookieName, setCookie, type Sessions } from '../../sessions/contract.ts';
import { mappedRoles, trusted, wantedName } from '../domain/claims.ts';
import type { OidcSettings } from '../domain/read-settings.ts';
import { pathOf } from '../domain/urls.ts';
import { beginWay, findWay, isBrowserSecret, type Way } from '../domain/way.ts';
import type { Issuer } from './issuer.ts';
import type { People, User } from './people.ts';
import type { Roles } from './roles.ts';

const COOKIE = 'svc_sign_in';
const COOKIE_MS = 600_000;
export const CALLBACK_PATH = '/session/callback';
const AGAIN = 'Nothing was changed. Start again on the sign-in page.';

export interface SignInParts {
  settings: OidcSettings;
  issuer: Issuer;
  people: People;
  roles: Roles;
  sessions: Sessions;
  audit: Audit;
  database: Database;
  ids: Ids;
  /** Where people find the console. */
  base: () => string;
}

/** Takes people to the issuer, and takes those in who come back from it. */
export class OidcSignIn {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  async start(request: HttpRequest): Promise<HttpReply> {
    const { issuer, ids, database } = this.#parts;
    const held = this.#secretOf(request);
    // A second tab must not end the way of the first.
    const secret = isBrowserSecret(held) ? held : ids.bytes(32).toString('base64url');
    const way = beginWay(secret, ids.bytes(16), database.now(), pathOf(request.query.to));
    const challenge = createHash('sha256').update(way.verifier).digest('base64url');
    const asked = await issuer.authorizeUrl(way, challenge, this.#redirectUri());
    if ('fault' in asked) return this.#refuse(424, `${issuer.title} cannot be asked`, asked.fault, AGAIN);
    return {
      status: 303,
      text: '',
      type: 'text/plain',
      headers: { location: asked.url, ...this.#cookie(secret, COOKIE_MS) },
    };
  }

  async finish(request: HttpRequest): Promise<HttpReply> {
    const { issuer, database } = this.#parts;
    const way = findWay(this.#secretOf(request), request.query.state, database.now());
    if (way === 'foreign')
      return this.#refuse(
        403,
        'This was begun in another browser',
        'Only the browser that began it can finish it.',
        AGAIN,
      );
    if (way === 'late')
      return this.#refuse(400, 'This took too long', 'After ten minutes an answer is not taken.', AGAIN);
    const found = await issuer.identify(new URLSearchParams(request.query), way, this.#redirectUri());
    if (!('fault' in found)) return this.#admit(request, way, found);
    if (found.denied)
      return this.#refuse(403, `${issuer.title} did not sign you in`, `It says: ${found.fault}.`, AGAIN);
    return this.#refuse(424, `${issuer.title} does not say who you are`, `${found.fault}.`, AGAIN);
  }

  async #admit(request: HttpRequest, way: Way, found: { subject: string; claims: Readonly<Record<string, unknown>> }) {
    const { settings, people, roles, sessions } = this.#parts;
    const { subject } = found;
    const claims = trusted(found.claims);
    const iss = settings.issuer.href;
    const wanted = await roles.resolve(mappedRoles(claims, settings.roles));
    const known = await people.find(iss, subject);
    if (!known && wanted.length === 0) return this.#withoutRole(request, wantedName(claims));
    const user = known ?? (await people.create(iss, subject, wantedName(claims)));
    // It is the service that gives them, by what the issuer says.
    const by = { principal: null, request_id: request.request_id, ip: request.ip };
    if (!(await roles.apply(user, wanted, by))) return this.#withoutRole(request, user.name, user);
    await people.noteSignIn(iss, subject);
    const who = { user_id: user.user_id, user_name: user.name, by: 'oidc' };
    const { headers } = await sessions.begin(who, request);
    return this.#goOn(way, headers);
  }

  async #withoutRole(request: HttpRequest, name: string, user?: User): Promise<HttpReply> {
    const { audit, database, issuer } = this.#parts;
    const { request_id, ip } = request;
    const principal = user && { kind: 'user' as const, id: user.user_id, name, token_id: '', org_id: null };
    await audit.record(database, {
      ...{ principal, request_id, ip, org_id: '', project_id: null },
      ...{ action: 'session.refused', subject: name, detail: `oidc: no role for what ${issuer.title} says` },
    });
    return this.#refuse(
      403,
      'You have no role here',
      `${issuer.title} knows you, and nothing that it says of you gives you a role in this service.`,
      'Ask the operator of this service for one: SVC_OIDC_ROLES says which claim gives which role.',
    );
  }

  /** The issuer takes each code once, so the cookie of the way there is good for nothing more. */
  #goOn(way: Way, headers: Record<string, string>): HttpReply {
    return {
      status: 303,
      text: '',
      type: 'text/plain',
      headers: { ...headers, location: `${this.#parts.base()}${way.to}` },
    };
  }

  #refuse(status: number, title: string, ...lines: string[]): HttpReply {
    const base = this.#parts.base();
    return messagePage({
      ok: false,
      status,
      title,
      lines,
      link: { to: `${base}/`, text: 'To the sign-in page' },
      base,
    });
  }

  #redirectUri(): string {
    return `${this.#parts.base()}${CALLBACK_PATH}`;
  }

  #secure(): boolean {
    return this.#parts.base().startsWith('https:');
  }

  #secretOf(request: HttpRequest): string | undefined {
    return cookieNamed(cookieName(COOKIE, this.#secure()), request);
  }

  #cookie(value: string, max_age_ms: number): Record<string, string> {
    return { 'set-cookie': setCookie(cookieName(COOKIE, this.#secure()), value, max_age_ms, this.#secure()) };
  }
}
