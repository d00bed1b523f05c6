import {
  type AccessControl,
  type Database,
  type HttpRequest,
  type Ids,
  iso,
  isServiceError,
  type Principal,
  USER,
} from '../../../../kernel/contracts/index.ts';
import type { AuditSource } from '../../../platform/audit/contract.ts';
import type { BegunSession } from '../contract.ts';
import { digestOf } from '../domain/cookie.ts';
import { LINK_MS } from '../domain/lifetimes.ts';
import { checkWriteOrigin } from '../domain/origin.ts';
import { SessionErrors } from '../errors.ts';
import type { SignInLink } from '../generated/sign-in-link.ts';
import { findLink, insertLink, useLink } from '../store/links.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { SessionAudit } from './session-audit.ts';

export interface SignInLinksOptions {
  database: Database;
  ids: Ids;
  sessions: BrowserSessions;
  audit: SessionAudit;
  access: AccessControl;
  public_url: () => string | undefined;
  base_url: () => string;
}

/** Links that sign in a browser, so that the holder of a token need not enter it there. */
export class SignInLinks {
  readonly #options: SignInLinksOptions;

  constructor(options: SignInLinksOptions) {
    this.#options = options;
  }

  async make({ token_id, id: user_id, name: user_name, org_id }: Principal, by: AuditSource): Promise<SignInLink> {
    const { database, ids, audit, public_url, base_url } = this.#options;
    const base = public_url() ?? base_url();
    if (!/^https?:/.test(base)) throw SessionErrors.linkNotOffered('this server listens only on a local socket');
    const code = ids.bytes(32).toString('base64url');
    const now = database.now();
    const expires_at = now + LINK_MS;
    const org_ids = await audit.orgsOf({ user_id, org_id });
    await database.transaction(async (tx) => {
      await insertLink(tx, { digest: digestOf(code), token_id, user_id, user_name, org_id, expires_at }, now);
      await audit.record(tx, org_ids, { ...by, action: 'session.link', subject: user_name });
    });
    // A fragment is never sent to a server, so it appears in no log.
    return { url: `${base}/sign-in#${code}`, expires_at: iso(expires_at) };
  }

  /** Signs in with the code of a link, which works only once. Throws `link_invalid`. */
  async redeem(code: string, request: HttpRequest): Promise<BegunSession> {
    const { database, sessions, access, public_url } = this.#options;
    const foreign = checkWriteOrigin(request.headers, public_url());
    if (foreign !== undefined) throw SessionErrors.csrfFailed(foreign);
    const digest = digestOf(code);
    const link =
      (await findLink(database, digest, database.now())) ??
      ((await database.catchUp()) ? await findLink(database, digest, database.now()) : undefined);
    if (!link || !(await useLink(database, digest)))
      throw SessionErrors.linkInvalid('it does not exist, it was already used, or its 5 minutes have passed');
    const { token_id, user_id, user_name, org_id } = link;
    try {
      await access.authorize({ kind: 'user', id: user_id, name: user_name, token_id, org_id }, USER, {});
    } catch (error) {
      if (!isServiceError(error, 'not_authenticated')) throw error;
      throw SessionErrors.linkInvalid(`${error.message}, and the link was created with it`);
    }
    return sessions.begin({ user_id, user_name, token: { token_id, org_id }, by: 'link' }, request);
  }
}
