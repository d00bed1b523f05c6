import {
  type Clock,
  type Database,
  iso,
  type Log,
  type Queries,
  type Sealer,
} from '../../../../kernel/contracts/index.ts';
import type {
  CredentialFields,
  CredentialUseBy,
  SourceState,
  CredentialSource,
} from '../../../secrets/credentials/contract.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import { isUsable, type Status } from '../domain/status.ts';
import { AccountErrors } from '../errors.ts';
import { type AccountKey, type AccountRow, accounts, readStates, recordUse } from '../store/accounts.ts';
import type { ConsoleLinks } from './console-links.ts';
import type { PresentedAccounts } from './presented-accounts.ts';
import { openTokens } from './token-box.ts';

/** A renewable token that ends within this time is not used, because it could end before it arrives. */
const MARGIN_MS = 5000;
/** How long a use waits for a renewal that is in progress. */
const WAIT_MS = 15_000;
const RECHECK_MS = 200;

export interface UseDeps {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  places: ConsoleLinks;
  presented: PresentedAccounts;
  /** Renews the account now, unless another server is renewing it, or its token of this epoch has been replaced. */
  renew(key: AccountKey, epoch: number): Promise<void>;
  /** Checks in the background whether the grant is still valid. */
  check(key: AccountKey): void;
}

/** Accounts as holders of names: each is good for what a bearer credential is. */
export class AccountUse implements CredentialSource {
  readonly source = 'account';
  readonly #deps: UseDeps;

  constructor(deps: UseDeps) {
    this.#deps = deps;
  }

  async states(on: Pick<Queries, 'read'>, scope: ProjectScope, names: readonly string[]) {
    const states = new Map<string, SourceState>();
    for (const { name, status, status_at } of await readStates(on, scope, names))
      states.set(
        name,
        isUsable(status)
          ? { state: 'ok', kind: 'bearer' }
          : { state: 'needs_reconnect', why: await this.#explainState({ ...scope, name }, status, status_at) },
      );
    return states;
  }

  async #explainState(key: AccountKey, status: Status, status_at: number): Promise<string> {
    return `its status is ${status} since ${iso(status_at)}; reconnect it at ${await this.#deps.places.accountLink(key)}`;
  }

  /** Throws `account_renewal_pending` when the token has ended and is not renewed yet. */
  async fields(
    scope: ProjectScope,
    name: string,
    by?: CredentialUseBy,
  ): Promise<{ fields: CredentialFields } | undefined> {
    const { org_id, project_id } = scope;
    const key = { org_id, project_id, name };
    const row = await this.#currentAccount(key);
    if (row === undefined || !isUsable(row.status)) return undefined;
    const { database, sealer } = this.#deps;
    if (row.expires_at !== null && row.renewable === 1 && Number(row.expires_at) <= database.now())
      throw AccountErrors.renewalPending(
        `the token of the account ${name} expired at ${iso(row.expires_at)} and has not been renewed yet${row.last_error === null ? '' : `: ${row.last_error}`}`,
        { retryAfterMs: Math.max(1000, Number(row.due_at ?? 0) - database.now()) },
      );
    await sealer.prepare(org_id);
    const { access_token: token } = openTokens(sealer, row);
    await recordUse(database, key, database.now(), by?.run_id ?? null);
    if (by !== undefined) this.#deps.presented.record(by.activity_id, key);
    return { fields: { kind: 'bearer', token } };
  }

  onRejected({ org_id, project_id }: ProjectScope, name: string): void {
    this.#deps.check({ org_id, project_id, name });
  }

  /** Returns the account when its token is valid for a while, or when waiting no longer helps. */
  async #currentAccount(key: AccountKey): Promise<AccountRow | undefined> {
    const { database, clock } = this.#deps;
    const end = clock.monotonic() + WAIT_MS;
    for (;;) {
      const row = await accounts.find(database, key, key.name);
      if (!row || !isUsable(row.status) || row.renewable === 0 || row.expires_at === null) return row;
      if (Number(row.expires_at) - MARGIN_MS > database.now()) return row;
      // A renewal that failed keeps its backoff.
      const waits = Number(row.failures) > 0 && Number(row.due_at ?? 0) > database.now();
      if (waits || clock.monotonic() > end) return row;
      await this.#deps.renew(key, Number(row.epoch));
      const reread = await accounts.find(database, key, key.name);
      if (reread && Number(reread.epoch) === Number(row.epoch)) await pause(clock, RECHECK_MS);
    }
  }
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });
