import {
  type AccessControl,
  type Database,
  type HttpRequest,
  type Ids,
  iso,
  isServiceError,
  type Principal,
  USER,
} from '../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../audit/contract.ts';
import type { BegunSession } from '../contract.ts';
import { digestOf } from '../domain/cookie.ts';
import { LINK_MS } from '../domain/lifetimes.ts';
import { writeFault } from '../domain/origin.ts';
import { SessionErrors } from '../errors.ts';
import type { SignInLink } from '../generated/sign-in-link.ts';
import { findLink, insertLink, useLink } from '../store/links.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { SessionAudit } from './session-audit.ts';

export interface LinkParts {
  database: Database;
  ids: Ids;
  sessions: BrowserSessions;
  audit: SessionAudit;
  access: AccessControl;
  public_url: () => string | undefined;
  base_url: () => string;
}

/** Links by which the holder of a token signs a browser in without typing it there. */
export class SignInLinks {
  readonly #parts: LinkParts;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  async make({ token_id, id: user_id, name: user_name, org_id }: Principal, by: AuditSource): Promise<SignInLink> {
    const { database, ids, audit, public_url, base_url } = this.#parts;
    const base = public_url() ?? base_url();
    if (!/^https?:/.test(base))
      throw SessionErrors.linkNotOffered('this server listens on a socket of this machine only');
    const code = ids.bytes(32).toString('base64url');
    const now = database.now();
    const expires_at = now + LINK_MS;
    const places = await audit.placesOf({ user_id, org_id });
    await database.transaction(async (tx) => {
      await insertLink(tx, { digest: digestOf(code), token_id, user_id, user_name, org_id, expires_at }, now);
      await audit.record(tx, places, { ...by, action: 'session.link', subject: user_name });
    });
    // A fragment is sent to no server: it is in no log.
    return { url: `${base}/sign-in#${code}`, expires_at: iso(expires_at) };
  }

  /** Of several who come with one code, one gets in. Throws `link_invalid`. */
  async redeem(code: string, request: HttpRequest): Promise<BegunSession> {
    const { database, sessions, access, public_url } = this.#parts;
    const foreign = writeFault(request.headers, public_url());
    if (foreign !== undefined) throw SessionErrors.csrfFailed(foreign);
    const digest = digestOf(code);
    const link =
      (await findLink(database, digest, database.now())) ??
      ((await database.catchUp()) ? await findLink(database, digest, database.now()) : undefined);
    if (!link || !(await useLink(database, digest)))
      throw SessionErrors.linkInvalid('nobody has made it, it was used already, or its 5 minutes are over');
    const { token_id, user_id, user_name, org_id } = link;
    try {
      await access.authorize({ kind: 'user', id: user_id, name: user_name, token_id, org_id }, USER, {});
    } catch (error) {
      if (!isServiceError(error, 'not_authenticated')) throw error;
      throw SessionErrors.linkInvalid(`${error.message}, and the link was made with it`);
    }
    return sessions.begin({ user_id, user_name, token: { token_id, org_id }, by: 'link' }, request);
  }
}
