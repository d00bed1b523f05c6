import {
  type AccessControl,
  ADMIN,
  type Database,
  type HttpRequest,
  type Ids,
  isServiceError,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import { type Audit, auditSource, type AuditSource } from '../../../platform/audit/contract.ts';
import type { CredentialNames } from '../../../secrets/credentials/contract.ts';
import type { Provider, Providers, Tokens } from '../../providers/contract.ts';
import type { Session, Sessions } from '../../../security/sessions/contract.ts';
import { expiresAt, firstDue } from '../domain/times.ts';
import { AccountErrors } from '../errors.ts';
import { type AccountRow, accounts } from '../store/accounts.ts';
import { type ConsentRow, findConsent, useConsent } from '../store/consents.ts';
import { removeRenewal } from '../store/renewals.ts';
import { stateDigest, verifierSealContext } from './consents.ts';
import { sealTokens } from './token-box.ts';

/** The result of a callback, for the page that the person sees. */
export interface Outcome {
  ok: boolean;
  status: number;
  title: string;
  lines: readonly string[];
  /** The account to which the page links back. */
  to?: Pick<ConsentRow, 'org' | 'project' | 'name'>;
}

export interface CallbackDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Pick<Audit, 'record'>;
  providers: Providers;
  sessions: Sessions;
  names: CredentialNames;
  access: AccessControl;
  changed(): void;
}

interface GrantedConsent {
  consent: ConsentRow;
  session: Session;
  provider: Provider;
  tokens: Tokens;
  /** The time before the code was sent. */
  from: number;
  account: { id: string; label: string };
}

const failure = (status: number, title: string, ...lines: string[]): Outcome => ({ ok: false, status, title, lines });
const START_AGAIN = 'Nothing was changed. Start again on the Connections page.';

/** Handles the return of a person from a provider. */
export class Callback {
  readonly #deps: CallbackDeps;

  constructor(deps: CallbackDeps) {
    this.#deps = deps;
  }

  async handle(request: HttpRequest): Promise<Outcome> {
    const { state } = request.query;
    if (state === undefined || !/^[\w-]{43}$/.test(state))
      return failure(
        400,
        'This is not a response to a request from this service',
        'Its state was not created by this server.',
        START_AGAIN,
      );
    const consent = await findConsent(this.#deps.database, stateDigest(state));
    if (!consent)
      return failure(400, 'This response is not recognized', 'This connection is no longer in progress.', START_AGAIN);
    const session = await this.#deps.sessions.of(request);
    // Someone who lures a person here with their own answer gains nothing and learns nothing.
    if (session?.session_id !== consent.session_id)
      return failure(
        403,
        'This was started in another browser',
        'Only the browser that started it can finish it.',
        START_AGAIN,
      );
    const outcome = await this.#handleConsent(request, consent, session, state);
    return { ...outcome, to: consent };
  }

  async #handleConsent(request: HttpRequest, consent: ConsentRow, session: Session, state: string): Promise<Outcome> {
    const { database, providers, access } = this.#deps;
    const now = database.now();
    if (consent.used_at !== null)
      return failure(400, 'This response was already used', 'Each response works only once.', START_AGAIN);
    if (Number(consent.expires_at) <= now)
      return failure(400, 'This took too long', 'A response is rejected after ten minutes.', START_AGAIN);
    if (!(await useConsent(database, consent.state_digest, now)))
      return failure(400, 'This response was already used', 'Each response works only once.', START_AGAIN);
    const { error, code, iss } = request.query;
    const provider = providers.find(consent.provider);
    if (!provider)
      return failure(
        409,
        'The provider is no longer configured',
        `This service has no provider ${consent.provider}.`,
        START_AGAIN,
      );
    const { title } = provider.view;
    const issuer_error = iss === undefined ? undefined : provider.validateIssuer(iss);
    if (issuer_error !== undefined)
      return failure(400, `This response is not from ${title}`, `It names ${issuer_error}.`, START_AGAIN);
    if (error !== undefined) return deniedOutcome(title, error, request.query.error_description);
    if (code === undefined || code === '') return failure(400, `The response of ${title} has no code`, START_AGAIN);
    try {
      await access.authorize(session.principal, ADMIN, { org: consent.org, project: consent.project });
    } catch (rejection) {
      if (!isServiceError(rejection)) throw rejection;
      return failure(403, 'You cannot connect accounts here', rejection.message, START_AGAIN);
    }
    return this.#exchange({ consent, session, provider, code, state, by: auditSource(request) });
  }

  async #exchange(params: {
    consent: ConsentRow;
    session: Session;
    provider: Provider;
    code: string;
    state: string;
    by: AuditSource;
  }): Promise<Outcome> {
    const { database, sealer, providers } = this.#deps;
    const { consent, session, provider, code, state, by } = params;
    const { title } = provider.view;
    await sealer.prepare(consent.org_id);
    const verifier = sealer.open(verifierSealContext(consent), consent.verifier).toString();
    const from = database.now();
    const outcome = await provider.exchange({ code, state, verifier, redirect_uri: providers.redirectUri()! });
    if (outcome.outcome !== 'granted')
      return failure(424, `${title} sent no token`, `${toSentence(outcome.why)}`, START_AGAIN);
    const { tokens } = outcome;
    const identity = await provider.identify(tokens.access_token);
    if ('error' in identity)
      return failure(424, `${title} does not say whose account this is`, toSentence(identity.error), START_AGAIN);
    const granted: GrantedConsent = { consent, session, provider, tokens, from, account: identity };
    try {
      const is_reconnect = await database.transaction((tx) =>
        this.#store(tx, granted, { ...by, principal: session.principal }),
      );
      return connectedOutcome(granted, is_reconnect);
    } catch (rejection) {
      if (!isServiceError(rejection) || rejection.status >= 500) throw rejection;
      return failure(rejection.status, rejection.definition.title, toSentence(rejection.message), rejection.next);
    }
  }

  /** Stores the account. Returns true when it existed before. Throws `name_conflict`, `account_mismatch`. */
  async #store(tx: Transaction, granted: GrantedConsent, by: AuditSource): Promise<boolean> {
    const { ids, names, audit, changed } = this.#deps;
    const { consent, account: far } = granted;
    const { org_id, project_id, name } = consent;
    const made = await names.reserve(tx, consent, name, 'account');
    const present = made ? undefined : await accounts.lock(tx, consent, name);
    if (present && present.client_grant !== null)
      throw AccountErrors.accountMismatch(`the account ${name} has its own client, and needs no person`);
    if (present && (present.provider !== consent.provider || present.far_id !== far.id))
      throw AccountErrors.accountMismatch(
        `${name} is the account ${present.far_label} of ${present.provider}, but this one is ${far.label} of ${consent.provider}`,
      );
    const row = this.#toRow(granted, present?.account_id ?? ids.next('acc'), Number(present?.epoch ?? 0) + 1);
    if (present) await accounts.replace(tx, row);
    else await accounts.insert(tx, row);
    await removeRenewal(tx, row.account_id);
    const action = present ? 'account.reconnect' : 'account.connect';
    await audit.record(tx, {
      ...by,
      org_id,
      project_id,
      action,
      subject: name,
      detail: `${row.provider}: ${far.label}`,
    });
    tx.afterCommit(changed);
    return present !== undefined;
  }

  #toRow(
    { consent, session, provider, tokens, from, account: far }: GrantedConsent,
    account_id: string,
    epoch: number,
  ) {
    const { database, sealer, ids } = this.#deps;
    const { org_id, project_id, name } = consent;
    const renewable = tokens.refresh_token !== undefined;
    const times = { from, renewable, lifetime_ms: tokens.lifetime_ms ?? provider.assumed_lifetime_ms };
    const requested_scopes = provider.view.scopes;
    const now = database.now();
    const row: Omit<AccountRow, 'last_used_at' | 'last_used_by' | 'checked_at'> = {
      org_id,
      project_id,
      name,
      account_id,
      epoch,
      provider: consent.provider,
      far_id: far.id,
      far_label: far.label,
      status: 'active',
      status_at: now,
      reason: null,
      granter_id: session.principal.id,
      granter: session.principal.name,
      scopes_asked: JSON.stringify(requested_scopes),
      scopes: JSON.stringify(tokens.scopes ?? requested_scopes),
      granted_at: now,
      renewed_at: null,
      expires_at: expiresAt(times),
      renewable: renewable ? 1 : 0,
      tokens: sealTokens(sealer, { org_id, project_id, account_id, epoch }, tokens),
      due_at: firstDue(times, ids.bytes(4).readUInt32BE() / 2 ** 32),
      failures: 0,
      last_error: null,
      client_grant: null,
    };
    return row;
  }
}

function deniedOutcome(title: string, error: string, description: string | undefined): Outcome {
  if (error === 'access_denied')
    return failure(403, `Access to ${title} was denied`, 'The account was not connected.', START_AGAIN);
  const detail = [error, description].filter((text) => text !== undefined).join(': ');
  return failure(
    424,
    `${title} rejected the request`,
    `It says: ${detail.replace(/\p{C}+/gu, ' ').slice(0, 200)}.`,
    START_AGAIN,
  );
}

function connectedOutcome({ consent, provider, tokens, account }: GrantedConsent, is_reconnect: boolean): Outcome {
  const { title, scopes } = provider.view;
  const missing = tokens.scopes === undefined ? [] : scopes.filter((scope) => !tokens.scopes!.includes(scope));
  const lines = [
    `${consent.name} now acts as ${account.label} of ${title}. Anyone who can submit a workflow in this project can use the account.`,
    ...(missing.length === 0 ? [] : [`Requested, but not granted: ${missing.join(', ')}.`]),
    ...(tokens.refresh_token === undefined
      ? [
          `${title} sent no refresh token: this account will not be renewed, and must be connected again when its token expires.`,
        ]
      : []),
  ];
  return {
    ok: true,
    status: 200,
    title: is_reconnect ? 'The account is connected again' : 'The account is connected',
    lines,
  };
}

const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
