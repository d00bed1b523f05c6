import {
  type Clock,
  type Database,
  Errors,
  failpoint,
  type Ids,
  type Metrics,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { Provider, Providers, TokenOutcome } from '../../providers/contract.ts';
import { decide, lost, situationOf } from '../domain/renewal-table.ts';
import { isUsable } from '../domain/status.ts';
import { expiryOf, firstDue, nextWarning, pauseAfter } from '../domain/times.ts';
import { type AccountKey, type AccountRow, accounts, changeAccount } from '../store/accounts.ts';
import { openRenewal, putRenewal, removeRenewal } from '../store/renewals.ts';
import { openTokens, sealTokens } from './token-box.ts';
import { announce, endUse, type TransitionParts } from './transitions.ts';
import { evidenceOf, type Known } from './evidence.ts';

/** A token leaves at most so long after its intent was written; a process that stood still for longer sends nothing. */
const SEND_WITHIN_MS = 10_000;
/** Whoever wrote an intent has its outcome by then: a request takes at most 20 s. */
const INTENT_MS = 60_000;

export interface RenewerParts extends TransitionParts {
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
  refresh_token: string;
  request_id: string;
  presented: number;
  written_at: number;
  /** By the monotonic clock. */
  fence: number;
}

/** Renews accounts, one at a time for each account across all servers, and never presents a token that it may not. */
export class Renewer {
  readonly #parts: RenewerParts;
  readonly #outcomes: { inc(labels?: Record<string, string>): void };

  constructor(parts: RenewerParts) {
    this.#parts = parts;
    this.#outcomes = parts.metrics.counter(
      'svc_account_renewals_total',
      'Renewals of connected accounts by what became of them.',
      ['decision'],
    );
  }

  /** Does what is due for an account; with `force` a renewal that is not due yet too. */
  async attend(key: AccountKey, { force = false } = {}): Promise<void> {
    await this.#parts.sealer.prepare(key.org_id);
    failpoint('accounts.due');
    const intent = await this.#parts.database.transaction((tx) => this.#intend(tx, key, force));
    if (intent === undefined) return;
    failpoint('accounts.intended');
    const outcome = await intent.provider.renew(intent.refresh_token, () => this.#fence(intent));
    failpoint('accounts.answered');
    const decision = await this.#parts.database.transaction((tx) => this.#finish(tx, intent, outcome));
    if (decision !== undefined) this.#outcomes.inc({ decision });
  }

  /** Writes the intent to present the token, before a byte of it leaves. Undefined: there is nothing to present. */
  async #intend(tx: Transaction, key: AccountKey, force: boolean): Promise<Intent | undefined> {
    const { database, providers, sealer, ids, clock } = this.#parts;
    const row = await accounts.lock(tx, key, key.name);
    if (!row || !isUsable(row.status)) return undefined;
    const now = database.now();
    const open = await openRenewal(tx, row.account_id);
    if (open && Number(open.until_at) > now) return undefined;
    if (!open && !force && (row.due_at === null || Number(row.due_at) > now)) return undefined;
    const provider = providers.find(row.provider);
    const { refresh_token } = openTokens(sealer, row);
    if (row.renewable === 0 || refresh_token === undefined || provider === undefined)
      return this.#withoutRenewal(tx, row, now, provider !== undefined);
    const before = Number(open?.presented ?? 0);
    if (before > 0) {
      const decision = decide(provider.capabilities, lost(before));
      if (decision === 'in_doubt') {
        const known = { request_id: open!.request_id, written_at: Number(open!.written_at), presented: before };
        await this.#doubt(tx, row, now, {
          ...known,
          why: 'the server that sent it ended before it had noted an answer',
        });
        return undefined;
      }
    }
    const intent = { request_id: ids.next('rnw'), presented: before + 1, written_at: now };
    const { account_id, project_id, name, org_id } = row;
    await putRenewal(tx, { account_id, project_id, name, org_id, ...intent, until_at: now + INTENT_MS });
    const since = row.status === 'refreshing' ? {} : { status: 'refreshing' as const, status_at: now, reason: null };
    await changeAccount(tx, row, { ...since, due_at: now + INTENT_MS });
    return { row, provider, refresh_token, ...intent, fence: clock.monotonic() + SEND_WITHIN_MS };
  }

  /** Called before the first byte. Another server may have taken over from a process that stood still. */
  #fence({ fence }: Intent): void {
    if (this.#parts.clock.monotonic() > fence)
      throw Errors.unavailable('this process stood still before it had sent the token');
  }

  /** Warns before the end of a token that nobody renews, and ends its use then. */
  async #withoutRenewal(tx: Transaction, row: AccountRow, now: number, known: boolean): Promise<undefined> {
    const expires_at = row.expires_at === null ? undefined : Number(row.expires_at);
    if (expires_at === undefined) await changeAccount(tx, row, { due_at: null });
    else if (expires_at <= now) {
      const why = known
        ? 'the provider gave no refresh token'
        : `the provider ${row.provider} is not configured any more`;
      await endUse(tx, this.#parts, row, { status: 'needs_reauth', now, reason: `its token ended, and ${why}` });
    } else {
      await changeAccount(tx, row, { due_at: nextWarning(expires_at, now) });
      await announce(tx, this.#parts, row, { type: 'svc.account.expiring' });
      tx.afterCommit(this.#parts.changed);
    }
    return undefined;
  }

  async #finish(tx: Transaction, intent: Intent, outcome: TokenOutcome): Promise<string | undefined> {
    const { database } = this.#parts;
    const row = await accounts.lock(tx, intent.row, intent.row.name);
    // Removed, or connected again meanwhile: this answer is about a grant that is not there any more.
    if (!row || row.account_id !== intent.row.account_id || Number(row.epoch) !== Number(intent.row.epoch))
      return undefined;
    const open = await openRenewal(tx, row.account_id);
    const own = open?.request_id === intent.request_id;
    const now = database.now();
    if (outcome.outcome === 'granted') {
      await this.#store(tx, row, intent, outcome.tokens);
      return 'active';
    }
    // Somebody else decided for this account while the answer was on its way.
    if (!own || !isUsable(row.status)) return undefined;
    const decision = decide(intent.provider.capabilities, situationOf(outcome, intent.presented));
    if (decision === 'needs_reauth') {
      await removeRenewal(tx, row.account_id);
      const more = { last_error: outcome.why };
      await endUse(tx, this.#parts, row, {
        status: 'needs_reauth',
        now,
        reason: `the provider ended the grant: ${outcome.why}`,
        more,
      });
    } else if (decision === 'in_doubt') await this.#doubt(tx, row, now, { ...intent, why: outcome.why });
    else await this.#retry(tx, row, intent, { outcome, keep: decision === 'replay', now });
    return decision;
  }

  async #doubt(tx: Transaction, row: AccountRow, now: number, known: Known): Promise<void> {
    await removeRenewal(tx, row.account_id);
    const reason = evidenceOf(known);
    await endUse(tx, this.#parts, row, { status: 'in_doubt', now, reason, more: { last_error: known.why } });
    this.#outcomes.inc({ decision: 'in_doubt' });
  }

  /** `keep`: the token may have been presented, so the intent stays open and counts. */
  async #retry(
    tx: Transaction,
    row: AccountRow,
    intent: Intent,
    { outcome, keep, now }: { outcome: Exclude<TokenOutcome, { outcome: 'granted' }>; keep: boolean; now: number },
  ): Promise<void> {
    const failures = Number(row.failures) + 1;
    const after_ms = outcome.outcome === 'later' ? outcome.after_ms : undefined;
    const due_at = now + pauseAfter(failures, this.#random(), after_ms);
    const { account_id, project_id, name, org_id } = row;
    const { request_id, written_at } = intent;
    const lost_before = intent.presented - 1;
    const presented = keep ? intent.presented : lost_before;
    // A replay that did not leave is still to be sent: its first presentation stays known.
    if (presented > 0 && intent.provider.capabilities.rotates_refresh_token)
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
    const open = presented > 0 && intent.provider.capabilities.rotates_refresh_token;
    const status = open ? {} : { status: 'active' as const, status_at: now };
    await changeAccount(tx, row, { ...status, due_at, failures, last_error: outcome.why });
    tx.afterCommit(this.#parts.changed);
  }

  async #store(
    tx: Transaction,
    row: AccountRow,
    intent: Intent,
    tokens: Extract<TokenOutcome, { outcome: 'granted' }>['tokens'],
  ): Promise<void> {
    const { sealer, database } = this.#parts;
    const epoch = Number(row.epoch) + 1;
    // The lifetime counts from before the request left.
    const times = {
      from: intent.written_at,
      lifetime_ms: tokens.lifetime_ms ?? intent.provider.assumed_lifetime_ms,
      renewable: true,
    };
    const refresh_token = tokens.refresh_token ?? intent.refresh_token;
    await removeRenewal(tx, row.account_id);
    const revives = row.status === 'refreshing' || row.status === 'in_doubt';
    const now = database.now();
    await changeAccount(tx, row, {
      ...(revives ? { status: 'active' as const, status_at: now, reason: null } : {}),
      epoch,
      tokens: sealTokens(sealer, { ...row, epoch }, { access_token: tokens.access_token, refresh_token }),
      expires_at: expiryOf(times),
      due_at: revives ? firstDue(times, this.#random()) : null,
      renewed_at: now,
      failures: 0,
      last_error: null,
      ...(tokens.scopes === undefined ? {} : { scopes: JSON.stringify(tokens.scopes) }),
    });
    tx.afterCommit(this.#parts.changed);
  }

  /** 0 to 1. */
  #random(): number {
    return this.#parts.ids.bytes(4).readUInt32BE() / 2 ** 32;
  }
}
