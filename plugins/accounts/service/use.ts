import {
  type Clock,
  type Database,
  iso,
  type Log,
  type Queries,
  type Sealer,
} from '../../../kernel/contracts/index.ts';
import type { CredentialFields, CredentialUseBy, HeldState, NameHolder } from '../../credentials/contract.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import { isUsable, type Status } from '../domain/status.ts';
import { AccountErrors } from '../errors.ts';
import { type AccountKey, type AccountRow, accounts, heldStates, noteUse } from '../store/accounts.ts';
import type { ConsolePlaces } from './places.ts';
import type { PresentedAccounts } from './refusals.ts';
import { openTokens } from './token-box.ts';

/** A token that ends within this is not handed out when it can be renewed: it would end on its way. */
const MARGIN_MS = 5000;
/** How long a use waits for the renewal that is under way. */
const WAIT_MS = 15_000;
const LOOK_MS = 200;

export interface UseParts {
  database: Database;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  places: ConsolePlaces;
  presented: PresentedAccounts;
  /** Renews it now, if nobody does. */
  renew(key: AccountKey): Promise<void>;
  /** Looks in the background whether its grant still stands. */
  check(key: AccountKey): void;
}

/** Accounts as holders of names: each is good for what a bearer credential is. */
export class AccountUse implements NameHolder {
  readonly holder = 'account';
  readonly #parts: UseParts;

  constructor(parts: UseParts) {
    this.#parts = parts;
  }

  async states(on: Pick<Queries, 'read'>, scope: ProjectScope, names: readonly string[]) {
    const held = new Map<string, HeldState>();
    for (const { name, status, status_at } of await heldStates(on, scope, names))
      held.set(
        name,
        isUsable(status)
          ? { state: 'ok', kind: 'bearer' }
          : { state: 'needs_reconnect', why: await this.#why({ ...scope, name }, status, status_at) },
      );
    return held;
  }

  async #why(key: AccountKey, status: Status, status_at: number): Promise<string> {
    return `its status is ${status} since ${iso(status_at)}; reconnect it at ${await this.#parts.places.of(key)}`;
  }

  /** Throws `account_renewal_pending` when its token has ended and nobody could renew it yet. */
  async fields(scope: ProjectScope, name: string, by?: CredentialUseBy): Promise<CredentialFields | undefined> {
    const { org_id, project_id } = scope;
    const key = { org_id, project_id, name };
    const row = await this.#fresh(key);
    if (row === undefined || !isUsable(row.status)) return undefined;
    const { database, sealer } = this.#parts;
    if (row.expires_at !== null && row.renewable === 1 && Number(row.expires_at) <= database.now())
      throw AccountErrors.renewalPending(
        `the token of the account ${name} ended at ${iso(row.expires_at)} and is not renewed yet${row.last_error === null ? '' : `: ${row.last_error}`}`,
        { retryAfterMs: Math.max(1000, Number(row.due_at ?? 0) - database.now()) },
      );
    await sealer.prepare(org_id);
    const { access_token: token } = openTokens(sealer, row);
    await noteUse(database, key, database.now(), by?.run_id ?? null);
    if (by !== undefined) this.#parts.presented.note(by.activity_id, key);
    return { kind: 'bearer', token };
  }

  onRefused({ org_id, project_id }: ProjectScope, name: string): void {
    this.#parts.check({ org_id, project_id, name });
  }

  /** The account when its token is good for a while, or when waiting does not help any more. */
  async #fresh(key: AccountKey): Promise<AccountRow | undefined> {
    const { database, clock } = this.#parts;
    const end = clock.monotonic() + WAIT_MS;
    for (;;) {
      const row = await accounts.find(database, key, key.name);
      if (!row || !isUsable(row.status) || row.renewable === 0 || row.expires_at === null) return row;
      if (Number(row.expires_at) - MARGIN_MS > database.now()) return row;
      // One that failed and waits for its next try is not hurried.
      const waits = Number(row.failures) > 0 && Number(row.due_at ?? 0) > database.now();
      if (waits || clock.monotonic() > end) return row;
      await this.#parts.renew(key);
      const again = await accounts.find(database, key, key.name);
      if (again && Number(again.epoch) === Number(row.epoch)) await pause(clock, LOOK_MS);
    }
  }
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });
