import { Errors } from '../../../../kernel/contracts/index.ts';
import type { CallerSource, UnknownRequest } from '../../../platform/http/contract.ts';
import { GRACE_MS } from '../domain/lifetimes.ts';
import { isCsrf } from '../domain/cookie.ts';
import { checkReadOrigin, checkWriteOrigin } from '../domain/origin.ts';
import { SessionErrors } from '../errors.ts';
import type { BrowserSessions, Recognised } from './browser-sessions.ts';
import type { SessionAudit } from './session-audit.ts';

/** A cookie that arrives after its successor would look stolen, so a late answer goes without it. */
const COOKIE_MS = GRACE_MS / 2;

const READS: readonly string[] = ['GET', 'HEAD'];

/** Authenticates browsers by their session instead of a token. */
export class SessionGate implements CallerSource {
  readonly name = 'session';
  readonly #sessions: BrowserSessions;
  readonly #audit: SessionAudit;
  readonly #public_url: () => string | undefined;

  constructor(deps: { sessions: BrowserSessions; audit: SessionAudit; public_url: () => string | undefined }) {
    this.#sessions = deps.sessions;
    this.#audit = deps.audit;
    this.#public_url = deps.public_url;
  }

  /**
   * Returns the part of the cookie that survives rotation, or the raw value if the cookie is malformed, which counts as a guess.
   * Writes that another site triggers are not guesses: their cookie is still checked, so that the audit names the session.
   */
  credentialOf(request: UnknownRequest): string | undefined {
    const { method, headers } = request;
    if (!READS.includes(method) && checkWriteOrigin(headers, this.#public_url()) !== undefined) return undefined;
    return this.#sessions.cookieOf(request)?.lasting ?? this.#sessions.rawCookieOf(request);
  }

  /** Rejects reads that another site triggers. They say nothing about the cookie. */
  screen({ method, headers }: UnknownRequest): void {
    const foreign = READS.includes(method) ? checkReadOrigin(headers) : undefined;
    if (foreign !== undefined) throw Errors.notAuthenticated(foreign);
  }

  async callerOf(request: UnknownRequest) {
    if (this.#sessions.rawCookieOf(request) === undefined) return undefined;
    const reads = READS.includes(request.method);
    const recognised = await this.#sessions.recognise(request);
    if (!recognised) throw Errors.notAuthenticated("this browser's session has expired or was ended; sign in again");
    if (!reads) await this.#checkWrite(request, recognised);
    const headers = recognised.renew ? await this.#sessions.renew(recognised) : {};
    return { principal: recognised.principal, headers, headers_ms: COOKIE_MS };
  }

  async #checkWrite(request: UnknownRequest, { row, value, principal }: Recognised): Promise<void> {
    const { headers, method, request_id, ip } = request;
    const problem = checkWriteOrigin(headers, this.#public_url()) ?? checkCsrf(headers['x-svc-csrf'], value);
    if (problem === undefined) return;
    const detail = `${method}: ${problem}`;
    await this.#audit.recordRejection(row.session_id, row, {
      principal,
      request_id,
      ip,
      subject: row.user_name,
      detail,
    });
    throw SessionErrors.csrfFailed(problem);
  }
}

function checkCsrf(sent: string | undefined, value: Recognised['value']): string | undefined {
  if (sent === undefined) return 'the X-SVC-CSRF header is missing';
  return isCsrf(sent, value) ? undefined : 'the X-SVC-CSRF header does not have the value of this session';
}
