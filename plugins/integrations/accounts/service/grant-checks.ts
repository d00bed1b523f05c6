import type { Database, Log, Sealer } from '../../../../kernel/contracts/index.ts';
import type { Providers } from '../../providers/contract.ts';
import { isUsable } from '../domain/status.ts';
import { type AccountKey, accounts, claimCheck } from '../store/accounts.ts';
import type { Renewer } from './renewer.ts';
import { openTokens } from './token-box.ts';
import { endUse, type TransitionDeps } from './transitions.ts';

export interface CheckDeps extends TransitionDeps {
  database: Database;
  sealer: Sealer;
  providers: Providers;
  renewer: Pick<Renewer, 'renewIfDue'>;
  log: Log;
}

/** Checks whether a grant is still valid after a server rejected its token, at most once a minute for each account. */
export class GrantChecks {
  readonly #deps: CheckDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: CheckDeps) {
    this.#deps = deps;
  }

  /** Begins a check in the background. */
  begin(key: AccountKey): void {
    const running = this.#check(key)
      .catch((error: unknown) => this.#deps.log.error({ err: error, account: key.name }, 'checking a grant failed'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no check is running. */
  async waitUntilIdle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #check(key: AccountKey): Promise<void> {
    const { database, sealer, providers, renewer } = this.#deps;
    const row = await accounts.find(database, key, key.name);
    if (!row || !isUsable(row.status)) return;
    if (!(await claimCheck(database, key, database.now()))) return;
    // A renewal gives a definite answer, and a new token if only the old one ended early.
    if (row.renewable === 1) return renewer.renewIfDue(key, { force: true });
    await sealer.prepare(key.org_id);
    const { access_token } = openTokens(sealer, row);
    const identity = await providers.find(row.provider)?.identify(access_token);
    if (identity === undefined || !('error' in identity) || !identity.revoked) return;
    await database.transaction(async (tx) => {
      const present = await accounts.lock(tx, key, key.name);
      if (!present || Number(present.epoch) !== Number(row.epoch) || !isUsable(present.status)) return;
      const reason = 'the provider no longer accepts its token, and there is no refresh token';
      await endUse(tx, this.#deps, present, { status: 'needs_reauth', reason, now: database.now() });
    });
  }
}
