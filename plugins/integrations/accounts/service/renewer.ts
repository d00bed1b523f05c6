import {
  type Clock,
  type Database,
  Errors,
  failpoint,
  type Ids,
  type Metrics,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Capabilities, ClientGrant, Provider, Providers, TokenOutcome } from '../../providers/contract.ts';
import { decide, decideForClient, lostSituation, toSituation } from '../domain/renewal-table.ts';
import { isUsable } from '../domain/status.ts';
import { expiresAt, firstDue, nextWarning, pauseAfter } from '../domain/times.ts';
import { type AccountKey, type AccountRow, accounts, changeAccount, readClientGrant } from '../store/accounts.ts';
import { openRenewal, putRenewal, removeRenewal } from '../store/renewals.ts';
import { openTokens, sealTokens, type StoredTokens } from './token-box.ts';
import { announce, endUse, type TransitionDeps } from './transitions.ts';
import { describeEvidence, type PresentationRecord } from './evidence.ts';

/**
 * A token is sent at most this long after its intent was written. A process that was paused for longer sends nothing.
 */
const SEND_WITHIN_MS = 10_000;
/** After this time the writer of an intent has its outcome, because a request takes at most 20 s. */
const INTENT_MS = 60_000;

export interface RenewerDeps extends TransitionDeps {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
  metrics: Metrics;
  providers: Providers;
}

/** An intent of this process: what may be presented now, once. */
interface Intent {
  row: AccountRow;
  provider: Provider;
  capabilities: Capabilities;
  client: ClientGrant | undefined;
  stored: StoredTokens;
  /** Sends the request. `before` is called before its first byte. */
  send(before: () => void): Promise<TokenOutcome>;
  request_id: string;
  presented: number;
  written_at: number;
  /** A deadline by the monotonic clock. */
  fence: number;
}

/** Asking for another token with a client invalidates none, however often it is done. */
const AT_NO_RISK: Capabilities = { rotates_refresh_token: false, reuse_revokes_family: false };

/** The request that renews an account; undefined when nothing can. */
function toRequest(
  provider: Provider,
  { refresh_token, client_secret }: StoredTokens,
  client: ClientGrant | undefined,
): Intent['send'] | undefined {
  if (client === undefined)
    return refresh_token === undefined ? undefined : (before) => provider.renew(refresh_token, before);
  if (client_secret === undefined || !provider.grants.includes(client.grant)) return undefined;
  return (before) => provider.requestToken(client, client_secret, before);
}

/** Renews accounts, one at a time for each account across all servers, and never presents a token that it may not. */
export class Renewer {
  readonly #deps: RenewerDeps;
  readonly #outcomes: { inc(labels?: Record<string, string>): void };

  constructor(deps: RenewerDeps) {
    this.#deps = deps;
    this.#outcomes = deps.metrics.counter('svc_account_renewals_total', 'Renewals of connected accounts by outcome.', [
      'decision',
    ]);
  }

  /**
   * Does what is due for an account; with `force` a renewal that is not due yet too, unless the account has another `epoch`,
   * and so another token, than the caller has seen.
   */
  async renewIfDue(key: AccountKey, { force = false, epoch }: { force?: boolean; epoch?: number } = {}): Promise<void> {
    await this.#deps.sealer.prepare(key.org_id);
    failpoint('accounts.due');
    const intent = await this.#deps.database.transaction((tx) => this.#recordIntent(tx, key, { force, epoch }));
    if (intent === undefined) return;
    failpoint('accounts.intended');
    const outcome = await intent.send(() => this.#assertInTime(intent));
    failpoint('accounts.answered');
    const decision = await this.#deps.database.transaction((tx) => this.#finish(tx, intent, outcome));
    if (decision !== undefined) this.#outcomes.inc({ decision });
  }

  /**
   * Records the intent to present the token before any byte of it is sent. Returns undefined when there is nothing to
   * present.
   */
  async #recordIntent(
    tx: Transaction,
    key: AccountKey,
    { force, epoch }: { force: boolean; epoch: number | undefined },
  ): Promise<Intent | undefined> {
    const { database, providers, sealer, ids, clock } = this.#deps;
    const row = await accounts.lock(tx, key, key.name);
    if (epoch !== undefined && Number(row?.epoch) !== epoch) return undefined;
    if (!row || !isUsable(row.status)) return undefined;
    const now = database.now();
    const open = await openRenewal(tx, row.account_id);
    if (open && Number(open.until_at) > now) return undefined;
    if (!open && !force && (row.due_at === null || Number(row.due_at) > now)) return undefined;
    const provider = providers.find(row.provider);
    const stored = openTokens(sealer, row);
    const client = readClientGrant(row);
    const send = provider && toRequest(provider, stored, client);
    if (row.renewable === 0 || send === undefined || provider === undefined)
      return this.#withoutRenewal(tx, row, now, provider !== undefined);
    const capabilities = client === undefined ? provider.capabilities : AT_NO_RISK;
    const before = Number(open?.presented ?? 0);
    if (before > 0) {
      const decision = decide(capabilities, lostSituation(before));
      if (decision === 'in_doubt') {
        const presentation = { request_id: open!.request_id, written_at: Number(open!.written_at), presented: before };
        await this.#markInDoubt(tx, row, now, {
          ...presentation,
          why: 'the server that sent it ended before it recorded a response',
        });
        return undefined;
      }
    }
    const intent = { request_id: ids.next('rnw'), presented: before + 1, written_at: now };
    const { account_id, project_id, name, org_id } = row;
    await putRenewal(tx, { account_id, project_id, name, org_id, ...intent, until_at: now + INTENT_MS });
    const since = row.status === 'refreshing' ? {} : { status: 'refreshing' as const, status_at: now, reason: null };
    await changeAccount(tx, row, { ...since, due_at: now + INTENT_MS });
    return { row, provider, capabilities, client, stored, send, ...intent, fence: clock.monotonic() + SEND_WITHIN_MS };
  }

  /** Called before the first byte is sent. Another server may have taken over from a process that was paused. */
  #assertInTime({ fence }: Intent): void {
    if (this.#deps.clock.monotonic() > fence)
      throw Errors.unavailable('this process was paused before it had sent the token');
  }

  /** Warns before the end of a token that cannot be renewed, and then ends its use. */
  async #withoutRenewal(tx: Transaction, row: AccountRow, now: number, is_configured: boolean): Promise<undefined> {
    const expires_at = row.expires_at === null ? undefined : Number(row.expires_at);
    if (expires_at === undefined) await changeAccount(tx, row, { due_at: null });
    else if (expires_at <= now) {
      const why = is_configured
        ? row.client_grant === null
          ? 'the provider sent no refresh token'
          : `the provider ${row.provider} no longer offers its grant`
        : `the provider ${row.provider} is no longer configured`;
      await endUse(tx, this.#deps, row, { status: 'needs_reauth', now, reason: `its token expired, and ${why}` });
    } else {
      await changeAccount(tx, row, { due_at: nextWarning(expires_at, now) });
      await announce(tx, this.#deps, row, { type: 'svc.account.expiring' });
      tx.afterCommit(this.#deps.changed);
    }
    return undefined;
  }

  async #finish(tx: Transaction, intent: Intent, outcome: TokenOutcome): Promise<string | undefined> {
    const { database } = this.#deps;
    const row = await accounts.lock(tx, intent.row, intent.row.name);
    // The account was removed or reconnected meanwhile, so the answer concerns a grant that no longer exists.
    if (!row || row.account_id !== intent.row.account_id || Number(row.epoch) !== Number(intent.row.epoch))
      return undefined;
    const open = await openRenewal(tx, row.account_id);
    const is_own = open?.request_id === intent.request_id;
    const now = database.now();
    if (outcome.outcome === 'granted') {
      await this.#store(tx, row, intent, outcome.tokens);
      return 'active';
    }
    // Another decision was made for this account while the answer was pending.
    if (!is_own || !isUsable(row.status)) return undefined;
    const situation = toSituation(outcome, intent.presented);
    const has_ended = row.expires_at === null || Number(row.expires_at) <= now;
    const decision =
      intent.client === undefined ? decide(intent.capabilities, situation) : decideForClient(situation, has_ended);
    if (decision === 'needs_reauth') {
      await removeRenewal(tx, row.account_id);
      const more = { last_error: outcome.why };
      const did = intent.client === undefined ? 'ended the grant' : 'rejects the client of this account';
      await endUse(tx, this.#deps, row, {
        status: 'needs_reauth',
        now,
        reason: `the provider ${did}: ${outcome.why}`,
        more,
      });
    } else if (decision === 'in_doubt') await this.#markInDoubt(tx, row, now, { ...intent, why: outcome.why });
    else await this.#scheduleRetry(tx, row, intent, { outcome, keep_intent: decision === 'replay', now });
    return decision;
  }

  async #markInDoubt(tx: Transaction, row: AccountRow, now: number, presentation: PresentationRecord): Promise<void> {
    await removeRenewal(tx, row.account_id);
    const reason = describeEvidence(presentation);
    await endUse(tx, this.#deps, row, { status: 'in_doubt', now, reason, more: { last_error: presentation.why } });
    this.#outcomes.inc({ decision: 'in_doubt' });
  }

  /** With `keep_intent`, the token may have been presented, so the intent stays open and counts. */
  async #scheduleRetry(
    tx: Transaction,
    row: AccountRow,
    intent: Intent,
    {
      outcome,
      keep_intent,
      now,
    }: { outcome: Exclude<TokenOutcome, { outcome: 'granted' }>; keep_intent: boolean; now: number },
  ): Promise<void> {
    const failures = Number(row.failures) + 1;
    const after_ms = outcome.outcome === 'later' ? outcome.after_ms : undefined;
    const due_at = now + pauseAfter(failures, this.#random(), after_ms);
    const { account_id, project_id, name, org_id } = row;
    const { request_id, written_at } = intent;
    const lost_before = intent.presented - 1;
    const presented = keep_intent ? intent.presented : lost_before;
    // A replay that was not sent is still pending, so its first presentation stays recorded.
    if (presented > 0 && intent.capabilities.rotates_refresh_token)
      await putRenewal(tx, {
        account_id,
        project_id,
        name,
        org_id,
        request_id,
        presented,
        written_at,
        until_at: due_at,
      });
    else await removeRenewal(tx, account_id);
    const open = presented > 0 && intent.capabilities.rotates_refresh_token;
    const status = open ? {} : { status: 'active' as const, status_at: now };
    await changeAccount(tx, row, { ...status, due_at, failures, last_error: outcome.why });
    tx.afterCommit(this.#deps.changed);
  }

  async #store(
    tx: Transaction,
    row: AccountRow,
    intent: Intent,
    tokens: Extract<TokenOutcome, { outcome: 'granted' }>['tokens'],
  ): Promise<void> {
    const { sealer, database } = this.#deps;
    const epoch = Number(row.epoch) + 1;
    // The lifetime counts from before the request was sent.
    const times = {
      from: intent.written_at,
      lifetime_ms: tokens.lifetime_ms ?? intent.provider.assumed_lifetime_ms,
      renewable: true,
    };
    const { client_secret } = intent.stored;
    const refresh_token =
      intent.client === undefined ? (tokens.refresh_token ?? intent.stored.refresh_token) : undefined;
    await removeRenewal(tx, row.account_id);
    const revives = row.status === 'refreshing' || row.status === 'in_doubt';
    const now = database.now();
    await changeAccount(tx, row, {
      ...(revives ? { status: 'active' as const, status_at: now, reason: null } : {}),
      epoch,
      tokens: sealTokens(
        sealer,
        { ...row, epoch },
        { access_token: tokens.access_token, refresh_token, client_secret },
      ),
      expires_at: expiresAt(times),
      due_at: revives ? firstDue(times, this.#random()) : null,
      renewed_at: now,
      failures: 0,
      last_error: null,
      ...(tokens.scopes === undefined ? {} : { scopes: JSON.stringify(tokens.scopes) }),
    });
    tx.afterCommit(this.#deps.changed);
  }

  /** Returns a number from 0 to 1. */
  #random(): number {
    return this.#deps.ids.bytes(4).readUInt32BE() / 2 ** 32;
  }
}
