import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { connectAccount } from '../../test/support/connect-account.ts';
import { renameAccount } from '../../test/support/stored-rows.ts';
import { type OidcFault, type OidcOptions, OidcServer } from '../../test/support/oidc-server.ts';
import { until } from '../support/process.ts';
import { clone } from '../support/target.ts';
import type { SvcWorld } from '../support/world.ts';
import { freePort } from '../support/free-port.ts';

const servers = new WeakMap<SvcWorld, OidcServer>();
const serverOf = (world: SvcWorld): OidcServer => servers.get(world)!;

interface Opening extends Omit<OidcOptions, 'redirect_uri'> {
  env?: Record<string, string>;
  /** What the settings of `other` have more. */
  other?: object;
  /** In place of `far` and `other`: what the operator says of the provider, under several names. */
  declared?: readonly { name: string; capabilities?: object; identity?: object; scopes?: readonly string[] }[];
}

/** A real provider, at `{provider}`, and a server of svc that knows it as `far`, and once more as `other`. */
async function open(world: SvcWorld, { env: more = {}, other = {}, declared, ...options }: Opening): Promise<void> {
  const port = await freePort();
  const back = `http://127.0.0.1:${port}/connections/callback`;
  const far = new OidcServer();
  await far.listen({ redirect_uri: back, ...options });
  world.cleanups.push(() => far.close());
  servers.set(world, far);
  const env = {
    SVC_PORT: String(port),
    SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(
      (declared ?? [{ name: 'far' }, { name: 'other', ...other }]).map(({ name, ...more }) => {
        const settings = far.settings(name, options.rotates);
        const { identity } = more as { identity?: object };
        return { ...settings, ...more, identity: { ...settings.identity, ...identity } };
      }),
    ),
    SVC_CONNECTED_ACCOUNTS_REDIRECT_URI: back,
    ...more,
  };
  await world.startOwn({ env, agents: 1 });
  await world.moveTo(world.privateTarget!);
  world.notes.set('provider', far.url).set('far', far.url).set('back', back);
}

/** Its access tokens live so many seconds. */
Given(
  'a server whose provider {string} refresh tokens, with access tokens of {int} seconds',
  async function (this: SvcWorld, how: string, lifetime: number) {
    await open(this, { rotates: how === 'rotates', lifetime });
  },
);

Given(
  'a server whose provider gives no refresh tokens, and access tokens of {int} seconds',
  async function (this: SvcWorld, lifetime: number) {
    await open(this, { refreshes: false, lifetime });
  },
);

/** For `other` the operator has said how long they live. */
Given(
  'a server whose provider does not say that access tokens live {int} seconds, with another for which it is assumed',
  async function (this: SvcWorld, assumed_lifetime_secs: number) {
    await open(this, { rotates: false, tells_lifetime: false, other: { assumed_lifetime_secs } });
  },
);

/** One provider under several names, with other capabilities each. What it really does is to rotate and to revoke nothing. */
Given('a server whose providers declare that refresh tokens:', async function (this: SvcWorld, table: DataTable) {
  const declared = table.hashes().map(({ provider = '', rotate, revoke_all }) => ({
    name: provider,
    capabilities: { rotates_refresh_token: rotate === 'true', reuse_revokes_family: revoke_all === 'true' },
  }));
  await open(this, { revokes: false, lifetime: 600, declared });
});

/** The claim of the group is what `other` tells accounts apart by. */
Given(
  'a server whose provider puts {string} and {string} into the group {string}, which names accounts of {string}',
  async function (this: SvcWorld, one: string, two: string, group: string, other: string) {
    const groups = (login: string) => ([one, two].includes(login) ? [group] : []);
    const identity = { id_pointer: '/groups/0' };
    await open(this, { lifetime: 600, groups, declared: [{ name: 'far' }, { name: other, identity }] });
  },
);

/** Nobody is asked about a scope that the provider does not know: it is not granted. */
Given(
  'a server whose provider is asked for the scope {string} too, which it does not grant',
  async function (this: SvcWorld, scope: string) {
    await open(this, { lifetime: 600, declared: [{ name: 'far', scopes: ['openid', 'offline_access', scope] }] });
  },
);

/** One of the plugins of the tests. */
Given(
  'a server with the plugin {string} whose provider {string} refresh tokens, with access tokens of {int} seconds',
  async function (this: SvcWorld, plugin: string, how: string, lifetime: number) {
    await open(this, {
      rotates: how === 'rotates',
      lifetime,
      env: { SVC_PLUGINS: join(clone, 'test/plugins', plugin) },
    });
  },
);

/** What the provider itself holds of the access token that it gave last. */
Then(
  'the last token of the provider, noted as {string}, is of {string} with the scopes {string}',
  async function (this: SvcWorld, note: string, login: string, scopes: string) {
    const { token, ...held } = await serverOf(this).lastToken();
    assert.deepEqual(held, { login, scopes });
    this.notes.set(note, token);
  },
);

/** Whoever holds the token goes to the provider with a browser, signs in there as `login`, agrees and comes back. */
async function connect(
  world: SvcWorld,
  name: string,
  login: string,
  { token = world.target.token, provider = 'far' },
): Promise<void> {
  world.refuseUnchecked();
  const { base_url } = world.target;
  const place = { base_url, scoped: world.scoped, token, back: world.notes.get('back')! };
  const { status, text } = await connectAccount(place, { provider, name, login });
  world.answer = { status, text, headers: new Headers(), json: () => text, checked: status < 400 };
}

When('{string} at the provider is connected as {string}', async function (this: SvcWorld, login: string, name: string) {
  await connect(this, name, login, {});
});

When(
  '{string} at the provider {string} is connected as {string}',
  async function (this: SvcWorld, login: string, provider: string, name: string) {
    await connect(this, name, login, { provider });
  },
);

/** Its first half: where the person would be sent. */
When(
  'I ask in a browser to connect {string} to {string}',
  async function (this: SvcWorld, name: string, provider: string) {
    const session = await this.call('POST', '/api/v1/session');
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
    await this.request('POST', `${this.scoped}/accounts/${name}/connect`, { provider }, { cookie });
  },
);

Then('the provider takes the token {string} no more', async function (this: SvcWorld, token: string) {
  const headers = { authorization: `Bearer ${this.expand(token)}` };
  assert.equal((await fetch(`${serverOf(this).url}/me`, { headers })).status, 401);
});

When('the provider lets its answer go', function (this: SvcWorld) {
  serverOf(this).letGo();
});

/** Nothing that a person can read of the project's events shows a token. */
Then(
  'the event {string} of {string} soon is told, without a token',
  async function (this: SvcWorld, type: string, account: string) {
    const text = await until(`${type} of ${account}`, 60_000, async () => {
      const { text, json } = await this.call('GET', `${this.scoped}/events?type=${type}&limit=1`);
      const [last] = (json() as { events: { event: string }[] }).events;
      if (last === undefined) return undefined;
      const shown = await this.call('GET', `${this.scoped}/events/${last.event}`);
      return shown.text.includes(`"account":"${account}"`) ? text + shown.text : undefined;
    });
    const { access_tokens, refresh_tokens } = serverOf(this);
    for (const token of [...access_tokens, ...refresh_tokens.keys()]) assert.ok(!text.includes(token), text);
  },
);

When(
  'the holder of {string} connects {string} at the provider as {string}',
  async function (this: SvcWorld, token: string, login: string, name: string) {
    await connect(this, name, login, { token: this.expand(token) });
  },
);

Then('the page says {string}', function (this: SvcWorld, text: string) {
  const { text: page } = this.answer!;
  this.answer!.checked = true;
  assert.ok(page.includes(text), page);
});

When('the provider will {string} a renewal', function (this: SvcWorld, fault: string) {
  serverOf(this).faults.push(fault.replace(' ', '_') as OidcFault);
});

/** The far end refuses the token, so that its grant is looked at; the provider breaks the connection before it reads. */
When(
  'the provider loses {int} renewal(s) while I use {string} at {string}',
  async function (this: SvcWorld, count: number, credential: string, url: string) {
    serverOf(this).faults.push(...Array.from({ length: count }, (): OidcFault => 'lose_request'));
    await this.submit({ node: 'http', config: { url: this.expand(url), credential } });
    await this.reaches('succeeded');
    await until('the renewals to be lost', 60_000, async () => serverOf(this).faults.length === 0 || undefined);
  },
);

interface Account {
  status: string;
  renewed_at?: string;
}

const account = async (world: SvcWorld, name: string): Promise<Account> =>
  (await world.call('GET', `${world.scoped}/accounts/${name}`)).json() as Account;

Then('the account {string} soon is {string}', async function (this: SvcWorld, name: string, status: string) {
  await until(
    `${name} to be ${status}`,
    60_000,
    async () => (await account(this, name)).status === status || undefined,
  );
});

Then('the account {string} soon is renewed', async function (this: SvcWorld, name: string) {
  await until(
    `${name} to be renewed`,
    60_000,
    async () => (await account(this, name)).renewed_at !== undefined || undefined,
  );
});

When(
  'the store gives the account {string} the name {string}',
  async function (this: SvcWorld, from: string, to: string) {
    await renameAccount(this.target.own!.env.SVC_DATABASE_URL!, from, to);
  },
);

When('the provider forgets every grant', async function (this: SvcWorld) {
  await serverOf(this).forget();
});
