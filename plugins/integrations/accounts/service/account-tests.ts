import type { Database, Sealer } from '../../../../kernel/contracts/index.ts';
import type { Audit } from '../../../platform/audit/contract.ts';
import type { NamedRequest } from '../../../platform/resources/contract.ts';
import type { Provider, Providers } from '../../providers/contract.ts';
import { isUsable } from '../domain/status.ts';
import type { AccountTest } from '../generated/account-test.ts';
import { type AccountKey, type AccountRow, accounts } from '../store/accounts.ts';
import { openTokens } from './token-box.ts';

export interface AccountTestDeps {
  database: Database;
  sealer: Sealer;
  audit: Pick<Audit, 'record'>;
  providers: Providers;
  /** Renews the account now, unless its token of this epoch has been replaced. */
  renew(key: AccountKey, epoch: number): Promise<void>;
  /** Checks in the background whether the grant is still valid. */
  check(key: AccountKey): void;
}

const rejection = (says: string, status?: number): AccountTest => ({
  result: 'refused',
  says,
  ...(status === undefined ? {} : { status }),
});

/** Finds out whether an account works, without a run. */
export class AccountTests {
  readonly #deps: AccountTestDeps;

  constructor(deps: AccountTestDeps) {
    this.#deps = deps;
  }

  /** Sends one small request that the provider's settings declare. Throws `not_found`. */
  async test({ scope, name, by }: NamedRequest): Promise<AccountTest> {
    const { database, audit } = this.#deps;
    const { org_id, project_id } = scope;
    const key = { org_id, project_id, name };
    const found = await this.#find(key, await accounts.get(database, scope, name));
    const detail = [found.result, found.status].filter((text) => text !== undefined).join(' ');
    await database.transaction((tx) =>
      audit.record(tx, { ...by, org_id, project_id, action: 'account.test', subject: name, detail }),
    );
    return found;
  }

  async #find(key: AccountKey, row: AccountRow): Promise<AccountTest> {
    const provider = this.#deps.providers.find(row.provider);
    if (!isUsable(row.status))
      return rejection(`its status is ${row.status}: ${row.reason ?? 'the grant has ended'}. Reconnect the account`);
    if (provider === undefined)
      return rejection(`the provider ${row.provider} is no longer configured. Ask the operator of svc`);
    const current = await this.#current(key, row);
    if (current === undefined || this.#hasEnded(current))
      return rejection(
        `its token has expired, and the provider has given no new one: ${current?.last_error ?? 'it was not asked'}. Reconnect the account`,
      );
    return this.#send(key, current, provider);
  }

  #hasEnded({ expires_at }: AccountRow): boolean {
    return expires_at !== null && Number(expires_at) <= this.#deps.database.now();
  }

  async #current(key: AccountKey, row: AccountRow): Promise<AccountRow | undefined> {
    if (!this.#hasEnded(row) || row.renewable === 0) return row;
    await this.#deps.renew(key, Number(row.epoch));
    return accounts.find(this.#deps.database, key, key.name);
  }

  async #send(key: AccountKey, row: AccountRow, provider: Provider): Promise<AccountTest> {
    const { sealer, check } = this.#deps;
    await sealer.prepare(key.org_id);
    const outcome = await provider.test(openTokens(sealer, row).access_token);
    const { title } = provider.view;
    if (outcome.result === 'undeclared')
      return {
        result: 'untested',
        says: `the settings of ${title} name no address to test. The operator can set its test_url`,
      };
    if (outcome.result === 'unreachable')
      return { result: 'unreachable', says: `${title} cannot be reached: ${outcome.why}` };
    const { status } = outcome;
    if (status >= 200 && status < 300) return { result: 'works', status, says: `${title} answered ${status}` };
    if (status >= 500 || status === 429)
      return { result: 'unreachable', status, says: `${title} answered ${status}. Try again later` };
    if (status === 401) check(key);
    const advice =
      status === 401
        ? 'It does not accept the token: if svc account show says the same in a minute, reconnect the account'
        : status === 403
          ? 'The token lacks a scope or a permission: reconnect the account with more'
          : 'The operator should check the address to test';
    return rejection(`${title} answered ${status}. ${advice}`, status);
  }
}
