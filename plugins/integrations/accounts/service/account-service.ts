import type { Database, Page, Sealer } from '../../../../kernel/contracts/index.ts';
import type { CredentialNames } from '../../../secrets/credentials/contract.ts';
import type { Providers } from '../../providers/contract.ts';
import { type AuditedWrites, type NamedRequest, notFound } from '../../../platform/resources/contract.ts';
import { ACCOUNT } from '../domain/names.ts';
import { toView } from '../domain/view.ts';
import type { AccountRemoved } from '../generated/removed.ts';
import { type AccountRow, accounts } from '../store/accounts.ts';
import { removeRenewal } from '../store/renewals.ts';
import type { ConsoleLinks } from './console-links.ts';
import { openTokens } from './token-box.ts';
import { endUse, type TransitionDeps } from './transitions.ts';

export interface AccountDeps extends TransitionDeps {
  database: Database;
  sealer: Sealer;
  writes: AuditedWrites;
  names: CredentialNames;
  providers: Providers;
  places: ConsoleLinks;
}

/** Lists, shows, disables and removes accounts. */
export class AccountService {
  readonly #deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  list(scope: NamedRequest['scope'], page: Page) {
    const { database, places } = this.#deps;
    return accounts.page(database, scope, page, (row) => toView(row, places.connectionsLink(scope, row.name)));
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedRequest) {
    const row = await accounts.get(this.#deps.database, scope, name);
    return toView(row, this.#deps.places.connectionsLink(scope, name));
  }

  /** Disables the account until it is connected again. Throws `not_found`. */
  async disable(call: NamedRequest) {
    const { database } = this.#deps;
    await database.transaction(async (tx) => {
      const row = await accounts.lock(tx, call.scope, call.name);
      if (!row) throw notFound(ACCOUNT, call.name);
      if (row.status === 'disabled') return;
      const reason = `switched off by ${call.by.principal?.name ?? 'the operator'}`;
      await endUse(tx, this.#deps, row, { status: 'disabled', reason, now: database.now(), by: call.by });
    });
    return this.read(call);
  }

  /**
   * Forgets the account, and then ends its grant at the provider. A provider that does not answer does not keep it alive
   * here. Throws `not_found`.
   */
  async remove(call: NamedRequest): Promise<AccountRemoved> {
    const { writes, names, sealer, changed } = this.#deps;
    await sealer.prepare(call.scope.org_id);
    let removed: AccountRow | undefined;
    await writes.remove(call, 'account.delete', {
      ...ACCOUNT,
      remove: async (tx, scope, name) => {
        const row = await accounts.lock(tx, scope, name);
        if (!row) return false;
        removed = row;
        await removeRenewal(tx, row.account_id);
        await accounts.remove(tx, scope, name);
        tx.afterCommit(changed);
        return names.release(tx, scope, name, 'account');
      },
    });
    return this.#endGrant(removed);
  }

  async #endGrant(row: AccountRow | undefined): Promise<AccountRemoved> {
    const { providers, sealer } = this.#deps;
    if (row === undefined) return { ended_at_provider: false, warnings: [] };
    const provider = providers.find(row.provider);
    const title = provider?.view.title ?? row.provider;
    // A client ends no grant of its own: its key or secret gets new tokens for as long as the provider knows it.
    if (row.client_grant !== null)
      return {
        ended_at_provider: false,
        warnings: [`the client ${row.far_label} can still get tokens from ${title}; remove its secret or key there`],
      };
    const why =
      provider === undefined ? 'the provider is no longer configured' : await provider.revoke(openTokens(sealer, row));
    if (why === undefined) return { ended_at_provider: true, warnings: [] };
    return {
      ended_at_provider: false,
      warnings: [`the grant of ${row.far_label} may still exist at ${title}; end it there: ${why}`],
    };
  }
}
