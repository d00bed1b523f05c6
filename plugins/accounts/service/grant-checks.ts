import type { Database, Log, Sealer } from '../../../kernel/contracts/index.ts';
import type { Providers } from '../../providers/contract.ts';
import { isUsable } from '../domain/status.ts';
import { type AccountKey, accounts, takeCheck } from '../store/accounts.ts';
import type { Renewer } from './renewer.ts';
import { openTokens } from './token-box.ts';
import { endUse, type TransitionParts } from './transitions.ts';

export interface CheckParts extends TransitionParts {
  database: Database;
  sealer: Sealer;
  providers: Providers;
  renewer: Pick<Renewer, 'attend'>;
  log: Log;
}

/** Looks whether a grant still stands when a far end did not accept its token: at most once a minute for each account. */
export class GrantChecks {
  readonly #parts: CheckParts;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: CheckParts) {
    this.#parts = parts;
  }

  /** Begins a check in the background. */
  begin(key: AccountKey): void {
    const running = this.#check(key)
      .catch((error: unknown) => this.#parts.log.error({ err: error, account: key.name }, 'checking a grant failed'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when no check is under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #check(key: AccountKey): Promise<void> {
    const { database, sealer, providers, renewer } = this.#parts;
    const row = await accounts.find(database, key, key.name);
    if (!row || !isUsable(row.status)) return;
    if (!(await takeCheck(database, key, database.now()))) return;
    // A renewal tells for sure, and brings a good token if the old one only ended early.
    if (row.renewable === 1) return renewer.attend(key, { force: true });
    await sealer.prepare(key.org_id);
    const { access_token } = openTokens(sealer, row);
    const found = await providers.find(row.provider)?.identify(access_token);
    if (found === undefined || !('fault' in found) || !found.gone) return;
    await database.transaction(async (tx) => {
      const present = await accounts.lock(tx, key, key.name);
      if (!present || Number(present.epoch) !== Number(row.epoch) || !isUsable(present.status)) return;
      const reason = 'the provider does not accept its token any more, and there is no refresh token';
      await endUse(tx, this.#parts, present, { status: 'needs_reauth', reason, now: database.now() });
    });
  }
}
