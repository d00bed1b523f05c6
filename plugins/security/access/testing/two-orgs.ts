import type { Test } from 'tap';
import { Database } from '../../../../kernel/contracts/index.ts';
import { boot, type Store, type TestServer } from '../../../../test/kit/index.ts';
import { Bootstrap } from '../contract.ts';

export const ACME = '/api/v1/orgs/acme';
export const WEB = `${ACME}/projects/web`;
export const RIVAL = '/api/v1/orgs/rival';
const OWN = '/api/v1/invitations';

export interface Pending {
  id: string;
  org: string;
  project?: string;
  role: string;
  invited_by: string;
  created_at: string;
  expires_at: string;
}

/**
 * The orgs `acme` with the project `web`, and `rival`. Their owners `olga` and `rita` have tokens without limits; whom an org adds
 * has a token that is limited to it.
 */
export class TwoOrgs {
  readonly server: TestServer;
  readonly owner: string;
  readonly rival: string;

  private constructor(server: TestServer, owner: string, rival: string) {
    this.server = server;
    this.owner = owner;
    this.rival = rival;
  }

  static async open(t: Test, store: Store): Promise<TwoOrgs> {
    const env = { SVC_RATE_LIMIT: 'off' };
    const server = await boot({ store, access: 'empty', plugins: ['access', 'sessions'], env });
    t.teardown(() => server.close());
    const bootstrap = server.use(Bootstrap);
    const owner = (await bootstrap.ensure({ user: 'olga', org: 'acme', project: 'web' })).token;
    const rival = (await bootstrap.ensure({ user: 'rita', org: 'rival', project: 'web' })).token;
    return new TwoOrgs(server, owner, rival);
  }

  get call(): TestServer['call'] {
    return this.server.call;
  }

  get database(): Database {
    return this.server.use(Database);
  }

  /** A user that an org makes, and a token for them. */
  async made(user: string, org = RIVAL, role = 'member', more: object = {}): Promise<string> {
    const by = org.startsWith(ACME) ? this.owner : this.rival;
    const { status, text } = await this.call(by, `PUT ${org}/members/${user}`, { role });
    if (status !== 201) throw new Error(`${user}: ${status} ${text}`);
    return this.tokenOf(user, org, more);
  }

  async tokenOf(user: string, org: string, more: object = {}): Promise<string> {
    const by = org.startsWith(ACME) ? this.owner : this.rival;
    const wish = { name: user, org: org.split('/')[4], user, ...more };
    const { status, json, text } = await this.call(by, 'POST /api/v1/tokens', wish);
    if (status !== 201) throw new Error(`${user}: ${status} ${text}`);
    return json.token;
  }

  /** Of the one who has the token. */
  async pending(token: string): Promise<Pending[]> {
    const { status, json, text } = await this.call(token, `GET ${OWN}`);
    if (status !== 200) throw new Error(text);
    return json.invitations;
  }

  /** Invites, and answers the id. */
  async invite(place: string, user: string, token: string, role = 'member', by = this.owner): Promise<string> {
    const { status, text } = await this.call(by, `PUT ${place}/members/${user}`, { role });
    if (status !== 202) throw new Error(`${status} ${text}`);
    return (await this.pending(token))[0]!.id;
  }

  accept(token: string, id: string) {
    return this.call(token, `POST ${OWN}/${id}/accept`);
  }

  decline(token: string, id: string) {
    return this.call(token, `POST ${OWN}/${id}/decline`);
  }

  withdraw(by: string, place: string, user: string) {
    return this.call(by, `DELETE ${place}/invitations/${user}`);
  }

  async isMember(place: string, user: string): Promise<boolean> {
    return (await this.call(this.owner, `GET ${place}/members/${user}`)).status === 200;
  }

  /** What the audit says of the invitations of a user, oldest first. */
  async told(user: string): Promise<string[]> {
    const rows = await this.database.read<{ action: string; detail: string; principal_name: string }>(
      "SELECT action, detail, principal_name FROM audit_entries WHERE subject = ? AND action LIKE 'invitation.%' ORDER BY entry_id",
      [user],
    );
    return rows.map(
      ({ action, detail, principal_name }) =>
        `${action.slice('invitation.'.length)} ${detail} by ${principal_name || 'the service'}`,
    );
  }

  async left(): Promise<number> {
    return (await this.database.read('SELECT invitation_id FROM access_invitations')).length;
  }
}
