import {
  type AccessControl,
  ADMIN,
  type Database,
  type HttpRequest,
  type Ids,
  isServiceError,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import { type Audit, auditSource, type AuditSource } from '../../audit/contract.ts';
import type { CredentialNames } from '../../credentials/contract.ts';
import type { Provider, Providers, Tokens } from '../../providers/contract.ts';
import type { Session, Sessions } from '../../sessions/contract.ts';
import { expiryOf, firstDue } from '../domain/times.ts';
import { AccountErrors } from '../errors.ts';
import { type AccountRow, accounts } from '../store/accounts.ts';
import { type ConsentRow, findConsent, useConsent } from '../store/consents.ts';
import { removeRenewal } from '../store/renewals.ts';
import { digestOf, verifierPlace } from './consents.ts';
import { sealTokens } from './token-box.ts';

/** What happened, for the page that the person sees. */
export interface Outcome {
  ok: boolean;
  status: number;
  title: string;
  lines: readonly string[];
  /** Where it leads back to. */
  to?: Pick<ConsentRow, 'org' | 'project' | 'name'>;
}

export interface CallbackParts {
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

interface Granted {
  consent: ConsentRow;
  session: Session;
  provider: Provider;
  tokens: Tokens;
  /** Before the code left. */
  from: number;
  far: { id: string; label: string };
}

const no = (status: number, title: string, ...lines: string[]): Outcome => ({ ok: false, status, title, lines });
const AGAIN = 'Nothing was changed. Start again on the Connections page.';

/** Takes a person who comes back from a provider. */
export class Callback {
  readonly #parts: CallbackParts;

  constructor(parts: CallbackParts) {
    this.#parts = parts;
  }

  async take(request: HttpRequest): Promise<Outcome> {
    const { state } = request.query;
    if (state === undefined || !/^[\w-]{43}$/.test(state))
      return no(400, 'This is no answer to a request of this service', 'It has no state that was made here.', AGAIN);
    const consent = await findConsent(this.#parts.database, digestOf(state));
    if (!consent) return no(400, 'This answer is not known here', 'Nobody is on the way with it any more.', AGAIN);
    const session = await this.#parts.sessions.of(request);
    // Whoever sends a person here with an answer of his own gets nothing, and learns nothing.
    if (session?.session_id !== consent.session_id)
      return no(403, 'This was begun in another browser', 'Only the browser that began it can finish it.', AGAIN);
    const outcome = await this.#taken(request, consent, session, state);
    return { ...outcome, to: consent };
  }

  async #taken(request: HttpRequest, consent: ConsentRow, session: Session, state: string): Promise<Outcome> {
    const { database, providers, access } = this.#parts;
    const now = database.now();
    if (consent.used_at !== null) return no(400, 'This answer was used already', 'Each one is good once.', AGAIN);
    if (Number(consent.expires_at) <= now)
      return no(400, 'This took too long', 'After ten minutes an answer is not taken.', AGAIN);
    if (!(await useConsent(database, consent.state_digest, now)))
      return no(400, 'This answer was used already', 'Each one is good once.', AGAIN);
    const { error, code, iss } = request.query;
    const provider = providers.find(consent.provider);
    if (!provider)
      return no(409, 'The provider is not configured any more', `Nobody knows ${consent.provider} here.`, AGAIN);
    const { title } = provider.view;
    const wrong = iss === undefined ? undefined : provider.issuerFault(iss);
    if (wrong !== undefined) return no(400, `This answer is not from ${title}`, `It names ${wrong}.`, AGAIN);
    if (error !== undefined) return denied(title, error, request.query.error_description);
    if (code === undefined || code === '') return no(400, `The answer of ${title} has no code`, AGAIN);
    try {
      await access.authorize(session.principal, ADMIN, { org: consent.org, project: consent.project });
    } catch (refusal) {
      if (!isServiceError(refusal)) throw refusal;
      return no(403, 'You may not connect accounts here', refusal.message, AGAIN);
    }
    return this.#exchange({ consent, session, provider, code, state, by: auditSource(request) });
  }

  async #exchange(given: {
    consent: ConsentRow;
    session: Session;
    provider: Provider;
    code: string;
    state: string;
    by: AuditSource;
  }): Promise<Outcome> {
    const { database, sealer, providers } = this.#parts;
    const { consent, session, provider, code, state, by } = given;
    const { title } = provider.view;
    await sealer.prepare(consent.org_id);
    const verifier = sealer.open(verifierPlace(consent), consent.verifier).toString();
    const from = database.now();
    const outcome = await provider.exchange({ code, state, verifier, redirect_uri: providers.redirectUri()! });
    if (outcome.outcome !== 'granted') return no(424, `${title} gave no token`, `${sentence(outcome.why)}`, AGAIN);
    const { tokens } = outcome;
    const far = await provider.identify(tokens.access_token);
    if ('fault' in far) return no(424, `${title} does not say whose account this is`, sentence(far.fault), AGAIN);
    const granted = { consent, session, provider, tokens, from, far };
    try {
      const again = await database.transaction((tx) =>
        this.#store(tx, granted, { ...by, principal: session.principal }),
      );
      return connected(granted, again);
    } catch (refusal) {
      if (!isServiceError(refusal) || refusal.status >= 500) throw refusal;
      return no(refusal.status, refusal.definition.title, sentence(refusal.message), refusal.next);
    }
  }

  /** Answers true when the account was there. Throws `name_conflict`, `account_mismatch`. */
  async #store(tx: Transaction, granted: Granted, by: AuditSource): Promise<boolean> {
    const { ids, names, audit, changed } = this.#parts;
    const { consent, far } = granted;
    const { org_id, project_id, name } = consent;
    const made = await names.take(tx, consent, name, 'account');
    const present = made ? undefined : await accounts.lock(tx, consent, name);
    if (present && (present.provider !== consent.provider || present.far_id !== far.id))
      throw AccountErrors.accountMismatch(
        `${name} is the account ${present.far_label} of ${present.provider}, and this one is ${far.label} of ${consent.provider}`,
      );
    const row = this.#row(granted, present?.account_id ?? ids.next('acc'), Number(present?.epoch ?? 0) + 1);
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

  #row({ consent, session, provider, tokens, from, far }: Granted, account_id: string, epoch: number) {
    const { database, sealer, ids } = this.#parts;
    const { org_id, project_id, name } = consent;
    const renewable = tokens.refresh_token !== undefined;
    const times = { from, renewable, lifetime_ms: tokens.lifetime_ms ?? provider.assumed_lifetime_ms };
    const asked = provider.view.scopes;
    const now = database.now();
    const row: Omit<AccountRow, 'last_used_at' | 'last_used_by' | 'checked_at'> = {
      ...{ org_id, project_id, name, account_id, epoch, provider: consent.provider },
      ...{ far_id: far.id, far_label: far.label, status: 'active', status_at: now, reason: null },
      ...{ granter_id: session.principal.id, granter: session.principal.name },
      scopes_asked: JSON.stringify(asked),
      scopes: JSON.stringify(tokens.scopes ?? asked),
      ...{ granted_at: now, renewed_at: null, expires_at: expiryOf(times), renewable: renewable ? 1 : 0 },
      tokens: sealTokens(sealer, { org_id, project_id, account_id, epoch }, tokens),
      due_at: firstDue(times, ids.bytes(4).readUInt32BE() / 2 ** 32),
      ...{ failures: 0, last_error: null },
    };
    return row;
  }
}

function denied(title: string, error: string, description: string | undefined): Outcome {
  if (error === 'access_denied') return no(403, `${title} was not allowed`, 'Access was denied there.', AGAIN);
  const said = [error, description].filter((text) => text !== undefined).join(': ');
  return no(424, `${title} refused the request`, `It says: ${said.replace(/\p{C}+/gu, ' ').slice(0, 200)}.`, AGAIN);
}

function connected({ consent, provider, tokens, far }: Granted, again: boolean): Outcome {
  const { title, scopes } = provider.view;
  const missing = tokens.scopes === undefined ? [] : scopes.filter((scope) => !tokens.scopes!.includes(scope));
  const lines = [
    `${consent.name} now acts as ${far.label} of ${title}. Everybody who can submit a workflow in this project can use it.`,
    ...(missing.length === 0 ? [] : [`Not granted, although asked for: ${missing.join(', ')}.`]),
    ...(tokens.refresh_token === undefined
      ? [
          `${title} gave no refresh token: this account will not be renewed, and must be connected again when its token ends.`,
        ]
      : []),
  ];
  return { ok: true, status: 200, title: again ? 'The account is connected again' : 'The account is connected', lines };
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
