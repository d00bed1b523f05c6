import { createHash } from 'node:crypto';
import type { Database, HttpRequest, Ids, SealContext, Sealer } from '../../../../kernel/contracts/index.ts';
import type { CredentialNames } from '../../../secrets/credentials/contract.ts';
import { createPkce, type Providers } from '../../providers/contract.ts';
import { checkName, type NamedRequest } from '../../../platform/resources/contract.ts';
import type { Session, Sessions } from '../../../security/sessions/contract.ts';
import { ACCOUNT } from '../domain/names.ts';
import { AccountErrors } from '../errors.ts';
import { type ConsentRow, consentsFullUntil, insertConsent, removeOldConsents } from '../store/consents.ts';
import { assertAvailable } from './available.ts';
import type { ConsoleLinks } from './console-links.ts';

/** How long a person may take at the provider. */
const CONSENT_MS = 600_000;
/** How many consents of one person are stored. Requests at the same moment can exceed it by their number. */
export const MAX_CONSENTS = 100;

export const stateDigest = (state: string): string => createHash('sha256').update(state).digest('hex');

/** Binds the verifier to the state, whose digest is the key of the row. */
export const verifierSealContext = (row: Pick<ConsentRow, 'org_id' | 'project_id' | 'state_digest'>): SealContext => ({
  org_id: row.org_id,
  project_id: row.project_id,
  table: 'accounts_consents',
  kind: 'consent',
  name: row.state_digest,
  field: 'verifier',
});

export interface ConsentDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  providers: Providers;
  sessions: Sessions;
  names: CredentialNames;
  places: ConsoleLinks;
}

/** Sends a person to a provider. */
export class Consents {
  readonly #deps: ConsentDeps;

  constructor(deps: ConsentDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the address at which the person grants access. Throws `console_session_required`, `connecting_not_offered`,
   * `name_conflict`, `account_mismatch`, `connecting_too_often`.
   */
  async begin(
    { scope, name }: NamedRequest,
    provider_name: string,
    request: HttpRequest,
  ): Promise<{ authorize_url: string }> {
    const { database, sealer, ids, providers, names } = this.#deps;
    checkName(ACCOUNT, name);
    const { session_id, principal } = await this.#session(request, scope);
    const provider = providers.find(provider_name);
    const redirect_uri = providers.redirectUri();
    if (!provider || redirect_uri === undefined)
      throw AccountErrors.connectingNotOffered(`this service has no provider ${provider_name}`);
    if (!provider.grants.includes('authorization_code'))
      throw AccountErrors.connectingNotOffered(
        `accounts of ${provider_name} need no person: connect them with svc account add`,
      );
    const present = await assertAvailable({ database, names }, scope, name, provider_name);
    if (present && present.client_grant !== null)
      throw AccountErrors.accountMismatch(`the account ${name} has its own client, and needs no person`);
    await sealer.prepare(scope.org_id);
    const state = ids.bytes(32).toString('base64url');
    const { verifier, challenge } = createPkce(ids.bytes(32));
    const { org_id, org, project_id, project } = scope;
    const now = database.now();
    const row = {
      state_digest: stateDigest(state),
      org_id,
      org,
      project_id,
      project,
      name,
      provider: provider_name,
      session_id,
      user_id: principal.id,
    };
    const sealed = sealer.seal(verifierSealContext(row), Buffer.from(verifier));
    await database.transaction(async (tx) => {
      await removeOldConsents(tx, now);
      const full_until = await consentsFullUntil(tx, principal.id, MAX_CONSENTS);
      if (full_until !== undefined)
        throw AccountErrors.connectingTooOften(
          `${principal.name} has reached the limit of ${MAX_CONSENTS} attempts to connect an account in 70 minutes`,
          { retryAfterMs: Math.max(1000, full_until - now) },
        );
      await insertConsent(tx, { ...row, verifier: sealed, expires_at: now + CONSENT_MS });
    });
    return { authorize_url: provider.authorizeUrl({ state, code_challenge: challenge, redirect_uri }) };
  }

  /** The session of the caller's own browser, at the address to which the provider will send it back. */
  async #session(request: HttpRequest, scope: NamedRequest['scope']): Promise<Session> {
    const { sessions, places } = this.#deps;
    const page = places.connectionsLink(scope);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== new URL(page).origin)
      throw AccountErrors.consoleSessionRequired(
        `this page is at ${origin.slice(0, 200)}, but the provider redirects to another address: open ${page}`,
      );
    const session = await sessions.of(request);
    if (session === undefined || session.principal.id !== request.principal?.id)
      throw AccountErrors.consoleSessionRequired(
        `this request does not come from a console session: open ${page} in a browser`,
      );
    return session;
  }
}
