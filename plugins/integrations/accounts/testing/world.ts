import type { Test } from 'tap';
import { Clock, Database } from '../../../../kernel/contracts/index.ts';
import { type Answer, boot, type Store, type TestOptions, type TestServer } from '../../../../test/kit/index.ts';
import { RemoteProvider } from './remote-provider.ts';

export const PLUGINS = ['http', 'access', 'audit', 'credentials', 'scripts', 'sessions', 'providers', 'accounts'];

/** Starts a server with a provider and a person's browser. */
export async function openWorld(t: Test, store: Store, options: Partial<TestOptions> & { far?: RemoteProvider } = {}) {
  const { far = new RemoteProvider(), ...more } = options;
  if (far.url === '') {
    await far.listen();
    t.teardown(() => far.close());
  }
  const server = await boot({
    store,
    access: 'project',
    plugins: PLUGINS,
    ...more,
    env: {
      SVC_EGRESS_ALLOW: '127.0.0.1',
      SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify([far.settings('far'), far.settings('other')]),
      ...more.env,
    },
  });
  t.teardown(() => server.close());
  return new World(server, far);
}

export class World {
  readonly server: TestServer;
  readonly far: RemoteProvider;
  #cookies = new Map<string, string>();

  constructor(server: TestServer, far: RemoteProvider) {
    this.server = server;
    this.far = far;
  }

  call = (caller: string, line: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
    this.server.call(caller, line.replace('{scoped}', this.server.scoped), body, headers);

  /** Signs in a caller's browser and returns its cookie. */
  async signIn(caller: string): Promise<string> {
    const { status, headers } = await this.call(caller, 'POST /api/v1/session');
    if (status !== 201) throw new Error(`${caller} cannot sign in: ${status}`);
    const cookie = headers.get('set-cookie')!.split(';')[0]!;
    this.#cookies.set(caller, cookie);
    return cookie;
  }

  /** Begins a connection and returns the address at which the provider asks the person. */
  async begin(name: string, { by = 'admin', provider = 'far' } = {}): Promise<Answer> {
    const cookie = this.#cookies.get(by) ?? (await this.signIn(by));
    return this.call(by, `POST {scoped}/accounts/${name}/connect`, { provider }, { cookie });
  }

  /** The person comes back. */
  callback(query: URLSearchParams, by = 'admin'): Promise<Answer> {
    return this.call('', `GET /connections/callback?${query}`, undefined, { cookie: this.#cookies.get(by) ?? '' });
  }

  async connect(name: string, how: { by?: string; provider?: string } = {}): Promise<Answer> {
    const begun = await this.begin(name, how);
    if (begun.status !== 200) return begun;
    return this.callback(this.far.consent(begun.json.authorize_url), how.by);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read views member by member
  async account(name: string): Promise<any> {
    return (await this.call('member', `GET {scoped}/accounts/${name}`)).json;
  }

  /** Makes work due now that the service would do for an account later. */
  async hurry(name: string, change = 'due_at = 1'): Promise<void> {
    await this.server.use(Database).write(`UPDATE accounts_accounts SET ${change} WHERE name = ?`, [name]);
  }

  get clock(): Clock {
    return this.server.use(Clock);
  }
}
