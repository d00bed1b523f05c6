import type { Database, Ids, Sealer, Transaction } from '../../../../kernel/contracts/index.ts';
import type { Audit } from '../../../platform/audit/contract.ts';
import { checkName, type NamedRequest } from '../../../platform/resources/contract.ts';
import type { CredentialNames } from '../../../secrets/credentials/contract.ts';
import type { ClientGrant, Provider, Providers, Tokens } from '../../providers/contract.ts';
import { type AccountClient, readClient } from '../domain/client.ts';
import { ACCOUNT } from '../domain/names.ts';
import { expiresAt, firstDue } from '../domain/times.ts';
import { AccountErrors } from '../errors.ts';
import type { ConnectClientAccount } from '../generated/connect-client.ts';
import { type AccountRow, accounts } from '../store/accounts.ts';
import { removeRenewal } from '../store/renewals.ts';
import { assertAvailable } from './available.ts';
import { sealTokens } from './token-box.ts';

export interface ClientAccountDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  audit: Pick<Audit, 'record'>;
  providers: Providers;
  names: CredentialNames;
  changed(): void;
}

interface ConnectedClient extends AccountClient {
  call: NamedRequest;
  provider: Provider;
  tokens: Tokens;
  /** The time before the request was sent. */
  from: number;
}

/** The account at the provider: whom its tokens act as. */
const accountIdOf = (client: ClientGrant): string =>
  client.grant === 'jwt_bearer' ? (client.subject ?? client.client_id) : client.client_id;

/** Connects accounts that have a client of their own, and need no person. */
export class ClientAccounts {
  readonly #deps: ClientAccountDeps;

  constructor(deps: ClientAccountDeps) {
    this.#deps = deps;
  }

  /**
   * Gets a first token, and stores it together with the client. Throws `invalid_request`, `connecting_not_offered`,
   * `name_conflict`, `account_mismatch`, `account_not_granted`. Nothing is stored if there is no token.
   */
  async connect(call: NamedRequest, body: ConnectClientAccount): Promise<void> {
    const { database, sealer, providers } = this.#deps;
    checkName(ACCOUNT, call.name);
    const { principal } = call.by;
    if (!principal) throw new Error('only a user or a token can connect accounts');
    const provider = providers.find(body.provider);
    if (!provider) throw AccountErrors.connectingNotOffered(`this service has no provider ${body.provider}`);
    if (!provider.grants.includes(body.grant))
      throw AccountErrors.connectingNotOffered(
        `the provider ${body.provider} offers ${provider.grants.join(', ')}, not ${body.grant}`,
      );
    const made = readClient(body, provider.view.scopes);
    assertSame(await assertAvailable(this.#deps, call.scope, call.name, body.provider), made.client);
    await sealer.prepare(call.scope.org_id);
    const from = database.now();
    const outcome = await provider.requestToken(made.client, made.secret);
    if (outcome.outcome !== 'granted') throw AccountErrors.notGranted(`${provider.view.title}: ${outcome.why}`);
    const connected = { ...made, call, provider, tokens: outcome.tokens, from };
    await database.transaction((tx) => this.#store(tx, connected));
  }

  async #store(tx: Transaction, connected: ConnectedClient): Promise<void> {
    const { ids, names, audit, changed } = this.#deps;
    const { client, call } = connected;
    const { scope, name, by } = call;
    const made = await names.reserve(tx, scope, name, 'account');
    const present = made ? undefined : await accounts.lock(tx, scope, name);
    assertSame(present, client);
    if (present && present.provider !== connected.provider.view.name)
      throw AccountErrors.accountMismatch(`the account ${name} belongs to the provider ${present.provider}`);
    const row = this.#toRow(connected, present?.account_id ?? ids.next('acc'), Number(present?.epoch ?? 0) + 1);
    if (present) await accounts.replace(tx, row);
    else await accounts.insert(tx, row);
    await removeRenewal(tx, row.account_id);
    const { org_id, project_id } = scope;
    const action = present ? 'account.reconnect' : 'account.connect';
    const detail = `${row.provider}: ${row.far_label}, ${client.grant}`;
    await audit.record(tx, { ...by, org_id, project_id, action, subject: name, detail });
    tx.afterCommit(changed);
  }

  #toRow({ call, client, secret, provider, tokens, from }: ConnectedClient, account_id: string, epoch: number) {
    const { database, sealer, ids } = this.#deps;
    const { org_id, project_id } = call.scope;
    const { principal } = call.by;
    const times = { from, renewable: true, lifetime_ms: tokens.lifetime_ms ?? provider.assumed_lifetime_ms };
    const now = database.now();
    const { access_token } = tokens;
    const row: Omit<AccountRow, 'last_used_at' | 'last_used_by' | 'checked_at'> = {
      org_id,
      project_id,
      name: call.name,
      account_id,
      epoch,
      provider: provider.view.name,
      far_id: accountIdOf(client),
      far_label: client.client_id,
      status: 'active',
      status_at: now,
      reason: null,
      granter_id: principal!.id,
      granter: principal!.name,
      scopes_asked: JSON.stringify(client.scopes),
      scopes: JSON.stringify(tokens.scopes ?? client.scopes),
      granted_at: now,
      renewed_at: null,
      expires_at: expiresAt(times),
      renewable: 1,
      tokens: sealTokens(sealer, { org_id, project_id, account_id, epoch }, { access_token, client_secret: secret }),
      due_at: firstDue(times, ids.bytes(4).readUInt32BE() / 2 ** 32),
      failures: 0,
      last_error: null,
      client_grant: JSON.stringify(client),
    };
    return row;
  }
}

/** A name stays the same account: what uses it must not act as somebody else. */
function assertSame(present: AccountRow | undefined, client: ClientGrant): void {
  if (present === undefined) return;
  const { name, far_id, far_label } = present;
  if (present.client_grant === null)
    throw AccountErrors.accountMismatch(`the account ${name} was granted by a person; reconnect it in the console`);
  if (far_id !== accountIdOf(client))
    throw AccountErrors.accountMismatch(
      `${name} is ${far_label}, and acts as ${far_id}; this client is a different one`,
    );
}
