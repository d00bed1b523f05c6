import { createHash } from 'node:crypto';
import type { Database, HttpRequest, Ids, SealedPlace, Sealer } from '../../../kernel/contracts/index.ts';
import type { CredentialNames } from '../../credentials/contract.ts';
import { pkce, type Providers } from '../../providers/contract.ts';
import { checkName, type NamedCall } from '../../resources/contract.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import type { Sessions } from '../../sessions/contract.ts';
import { ACCOUNT } from '../domain/names.ts';
import { AccountErrors } from '../errors.ts';
import { accounts } from '../store/accounts.ts';
import { type ConsentRow, insertConsent } from '../store/consents.ts';
import type { ConsolePlaces } from './places.ts';

/** A person has so long at the provider. */
const CONSENT_MS = 600_000;

export const digestOf = (state: string): string => createHash('sha256').update(state).digest('hex');

/** Bound to the state, whose digest is the key of the row. */
export const verifierPlace = (row: Pick<ConsentRow, 'org_id' | 'project_id' | 'state_digest'>): SealedPlace => ({
  org_id: row.org_id,
  project_id: row.project_id,
  table: 'accounts_consents',
  kind: 'consent',
  name: row.state_digest,
  field: 'verifier',
});

export interface ConsentParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  providers: Providers;
  sessions: Sessions;
  names: CredentialNames;
  places: ConsolePlaces;
}

/** Sends a person to a provider. */
export class Consents {
  readonly #parts: ConsentParts;

  constructor(parts: ConsentParts) {
    this.#parts = parts;
  }

  /**
   * Answers where the person grants access. Throws `console_session_required`, `connecting_not_offered`, `name_conflict`,
   * `account_mismatch`.
   */
  async begin({ scope, name }: NamedCall, wanted: string, request: HttpRequest): Promise<{ authorize_url: string }> {
    const { database, sealer, ids, providers } = this.#parts;
    checkName(ACCOUNT, name);
    const session_id = await this.#session(request, scope);
    const provider = providers.find(wanted);
    const redirect_uri = providers.redirectUri();
    if (!provider || redirect_uri === undefined)
      throw AccountErrors.connectingNotOffered(`this service has no provider ${wanted}`);
    await this.#refuseOther(scope, name, wanted);
    await sealer.prepare(scope.org_id);
    const state = ids.bytes(32).toString('base64url');
    const { verifier, challenge } = pkce(ids.bytes(32));
    const { org_id, org, project_id, project } = scope;
    const now = database.now();
    const row = { state_digest: digestOf(state), org_id, org, project_id, project, name, provider: wanted, session_id };
    const sealed = sealer.seal(verifierPlace(row), Buffer.from(verifier));
    await database.transaction((tx) =>
      insertConsent(tx, { ...row, verifier: sealed, expires_at: now + CONSENT_MS }, now),
    );
    return { authorize_url: provider.authorizeUrl({ state, code_challenge: challenge, redirect_uri }) };
  }

  /** The session of the caller's own browser, at the address to which the provider will send it back. */
  async #session(request: HttpRequest, scope: NamedCall['scope']): Promise<string> {
    const { sessions, places } = this.#parts;
    const page = places.inProject(scope);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== new URL(page).origin)
      throw AccountErrors.consoleSessionRequired(
        `this page is at ${origin.slice(0, 200)}, and the provider sends people back to another address: open ${page}`,
      );
    const session = await sessions.of(request);
    if (session === undefined || session.principal.id !== request.principal?.id)
      throw AccountErrors.consoleSessionRequired(
        `this request comes from no console session: open ${page} in a browser`,
      );
    return session.session_id;
  }

  /** What the end of the way would refuse is refused at its beginning. */
  async #refuseOther(scope: NamedCall['scope'], name: string, wanted: string): Promise<void> {
    const { database, names } = this.#parts;
    const holder = (await names.holders(database, scope, [name])).get(name);
    if (holder === 'credential') throw Errors.nameConflict(`a credential of this project already has the name ${name}`);
    const present = await accounts.find(database, scope, name);
    if (present && present.provider !== wanted)
      throw AccountErrors.accountMismatch(`the account ${name} is one of ${present.provider}, not of ${wanted}`);
  }
}
