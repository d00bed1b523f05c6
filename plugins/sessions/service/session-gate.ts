import { Errors } from '../../../kernel/contracts/index.ts';
import type { CallerSource, UnknownRequest } from '../../http/contract.ts';
import { GRACE_MS } from '../domain/lifetimes.ts';
import { isCsrf } from '../domain/cookie.ts';
import { readFault, writeFault } from '../domain/origin.ts';
import { SessionErrors } from '../errors.ts';
import type { BrowserSessions, Recognised } from './browser-sessions.ts';
import type { SessionAudit } from './session-audit.ts';

/** A cookie that comes after its successor would look stolen; one that never comes ends nothing. */
const COOKIE_MS = GRACE_MS / 2;

const READS: readonly string[] = ['GET', 'HEAD'];

/** Lets a browser with a session in, in place of a token. */
export class SessionGate implements CallerSource {
  readonly name = 'session';
  readonly #sessions: BrowserSessions;
  readonly #audit: SessionAudit;
  readonly #public_url: () => string | undefined;

  constructor(parts: { sessions: BrowserSessions; audit: SessionAudit; public_url: () => string | undefined }) {
    this.#sessions = parts.sessions;
    this.#audit = parts.audit;
    this.#public_url = parts.public_url;
  }

  /**
   * The part that stays when the cookie is replaced. Whatever else is in place of a cookie is a guess as well. A write that a page
   * of another site makes a browser send is none: its cookie is looked at, so that the audit names the session, and not counted.
   */
  credentialOf(request: UnknownRequest): string | undefined {
    const { method, headers } = request;
    if (!READS.includes(method) && writeFault(headers, this.#public_url()) !== undefined) return undefined;
    return this.#sessions.cookieOf(request)?.lasting ?? this.#sessions.sentOf(request);
  }

  /** Another site may make a browser send its cookie: that tells nothing of the cookie. */
  screen({ method, headers }: UnknownRequest): void {
    const foreign = READS.includes(method) ? readFault(headers) : undefined;
    if (foreign !== undefined) throw Errors.notAuthenticated(foreign);
  }

  async callerOf(request: UnknownRequest) {
    if (this.#sessions.sentOf(request) === undefined) return undefined;
    const reads = READS.includes(request.method);
    const known = await this.#sessions.recognise(request);
    if (!known) throw Errors.notAuthenticated('the session of this browser is over, or was ended; sign in again');
    if (!reads) await this.#checkWrite(request, known);
    const headers = known.renew ? await this.#sessions.renew(known) : {};
    return { principal: known.principal, headers, headers_ms: COOKIE_MS };
  }

  async #checkWrite(request: UnknownRequest, { row, value, principal }: Recognised): Promise<void> {
    const { headers, method, request_id, ip } = request;
    const fault = writeFault(headers, this.#public_url()) ?? tokenFault(headers['x-svc-csrf'], value);
    if (fault === undefined) return;
    const detail = `${method}: ${fault}`;
    await this.#audit.refused(row.session_id, row, { principal, request_id, ip, subject: row.user_name, detail });
    throw SessionErrors.csrfFailed(fault);
  }
}

function tokenFault(sent: string | undefined, value: Recognised['value']): string | undefined {
  if (sent === undefined) return 'the header X-SVC-CSRF is missing';
  return isCsrf(sent, value) ? undefined : 'the header X-SVC-CSRF has not the value of this session';
}
