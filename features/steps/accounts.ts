import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type DataTable, Given, Then, When } from '@cucumber/cucumber';
import { connectAccount } from '../../test/support/connect-account.ts';
import { renameAccount } from '../../test/support/stored-rows.ts';
import type { OidcFault, OidcOptions, OidcServer } from '../../test/support/oidc-server.ts';
import { type ProviderName, SuiteProvider } from '../../test/support/suite-provider.ts';
import { until } from '../support/process.ts';
import { clone, type Target } from '../support/target.ts';
import type { Answer, SvcWorld } from '../support/world.ts';

const serverOf = (world: SvcWorld): OidcServer => providerOf(world).server;

function providerOf({ target }: SvcWorld): SuiteProvider {
  assert.ok(target.provider, 'the server has the provider of the suite in its settings');
  return target.provider;
}

/** What accounts of a scenario are connected to, unless it names another provider. */
const usual = new WeakMap<SvcWorld, ProviderName>();

/** The provider, at `{provider}`, does this with tokens from here on. It forgets what it gave to other scenarios. */
async function become(world: SvcWorld, name: ProviderName, options: Omit<OidcOptions, 'redirect_uri'>): Promise<void> {
  world.needs('@provider');
  usual.set(world, name);
  const redirect_uri = await redirectOf(world);
  const server = serverOf(world);
  server.become({ redirect_uri, ...options });
  world.notes.set('provider', server.url).set('far', server.url).set('back', redirect_uri);
  const { target } = world;
  world.cleanups.push(() => removeAccounts(world, target));
}

const redirects = new WeakMap<SuiteProvider, string>();

/** Where the server has people sent back to: its own address, or that of a proxy before it. */
async function redirectOf(world: SvcWorld): Promise<string> {
  const provider = providerOf(world);
  const known = redirects.get(provider);
  if (known !== undefined) return known;
  const { status, text, json } = await begin(world, 'asked', usual.get(world)!);
  if (status !== 200) throw new Error(`the server does not offer the provider of the suite: ${status} ${text}`);
  const { authorize_url } = json() as { authorize_url: string };
  const redirect_uri = new URL(authorize_url).searchParams.get('redirect_uri') ?? '';
  redirects.set(provider, redirect_uri);
  return redirect_uri;
}

/** The projects in which a scenario has connected accounts. */
const connected = new WeakMap<SvcWorld, Set<string>>();

/** The server goes on: accounts that stayed would be renewed while other scenarios say what comes of a renewal. */
async function removeAccounts(world: SvcWorld, target: Target): Promise<void> {
  if (world.privateTarget) return;
  const { server } = target.provider!;
  server.faults.length = 0;
  server.letGo();
  for (const scoped of connected.get(world) ?? []) {
    const { accounts } = (await world.call('GET', `${scoped}/accounts`)).json() as { accounts: { name: string }[] };
    for (const { name } of accounts) await world.call('DELETE', `${scoped}/accounts/${name}`);
  }
}

/** Its access tokens live so many seconds. */
Given(
  'a provider that {string} refresh tokens, with access tokens of {int} seconds',
  async function (this: SvcWorld, how: string, lifetime: number) {
    const rotates = how === 'rotates';
    await become(this, rotates ? 'rotating' : 'lasting', { rotates, lifetime });
  },
);

Given(
  'a provider that gives no refresh tokens, and access tokens of {int} seconds',
  async function (this: SvcWorld, lifetime: number) {
    await become(this, 'rotating', { refreshes: false, lifetime });
  },
);

/** Of "robots" and "signers" the operator has said that accounts need no person. */
Given(
  'a provider that knows the client "robot", with access tokens of {int} seconds',
  async function (this: SvcWorld, lifetime: number) {
    await become(this, 'rotating', { lifetime });
    connected.set(this, (connected.get(this) ?? new Set()).add(this.scoped));
    const { robot_secret, robot_key } = serverOf(this);
    this.notes.set('robot_secret', robot_secret);
    this.notes.set('robot_key', robot_key.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  },
);

When('the provider has another secret for the client "robot"', async function (this: SvcWorld) {
  const server = serverOf(this);
  server.robot_secret = `rob_${randomBytes(8).toString('hex')}`;
  this.notes.set('new_robot_secret', server.robot_secret);
  server.become({ redirect_uri: await redirectOf(this), lifetime: 600 });
});

Then('the provider has accepted an assertion with:', function (this: SvcWorld, table: DataTable) {
  const { header, claims } = serverOf(this).assertions.at(-1)!;
  const found = { ...header, ...claims };
  for (const [name = '', value = ''] of table.raw())
    assert.equal(String((found as Record<string, unknown>)[name]), this.expand(value), name);
});

/** Of "assumed" the operator has said that they live 4 seconds, of "lasting" nothing. */
Given('a provider that does not say how long its access tokens live', async function (this: SvcWorld) {
  await become(this, 'lasting', { rotates: false, tells_lifetime: false });
});

/** It is in the settings under several names, with other capabilities each. */
Given('a provider that rotates refresh tokens and revokes nothing', async function (this: SvcWorld) {
  await become(this, 'rotating', { revokes: false, lifetime: 600 });
});

/** Nobody is asked about a scope that the provider does not know: it is not granted. The operator asks for "calendar". */
Given('a provider that is asked for a scope which it does not grant', async function (this: SvcWorld) {
  await become(this, 'asking', { lifetime: 600 });
});

/** The claim of the group is what "grouped" tells accounts apart by. */
Given(
  'a provider that puts {string} and {string} into the group {string}',
  async function (this: SvcWorld, one: string, two: string, group: string) {
    await become(this, 'rotating', {
      lifetime: 600,
      groups: (login) => ([one, two].includes(login) ? [group] : []),
    });
  },
);

/** The settings of the server say of the provider's names what the scenario counts on. */
Given('the operator has said of the provider:', async function (this: SvcWorld, table: DataTable) {
  const told = (await this.call('GET', `${this.scoped}/providers`)).json() as { providers: Told[] };
  for (const { provider, rotates, reuse } of table.hashes()) {
    const found = told.providers.find(({ name }) => name === provider)?.capabilities;
    assert.deepEqual(found, { rotates_refresh_token: rotates === 'true', reuse_revokes_family: reuse === 'true' });
  }
});

interface Told {
  name: string;
  capabilities: object;
}

async function ownServer(world: SvcWorld, more: Record<string, string> = {}): Promise<void> {
  const provider = await SuiteProvider.open();
  world.cleanups.push(() => provider.close());
  const env = { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(provider.settings), ...more };
  await world.startOwn({ env, agents: 1 });
  await world.moveTo({ ...world.privateTarget!, provider });
}

Given('a server of its own with the provider', function (this: SvcWorld) {
  return ownServer(this);
});

/** One of the plugins of the tests. */
Given('a server with the plugin {string} and the provider', function (this: SvcWorld, plugin: string) {
  return ownServer(this, { SVC_PLUGINS: join(clone, 'test/plugins', plugin) });
});

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
  { token = world.target.token, provider = usual.get(world)! as string },
): Promise<void> {
  world.refuseUnchecked();
  connected.set(world, (connected.get(world) ?? new Set()).add(world.scoped));
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
async function begin(world: SvcWorld, name: string, provider: string): Promise<Answer> {
  const session = await world.call('POST', '/api/v1/session');
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  return world.call('POST', `${world.scoped}/accounts/${name}/connect`, { provider }, { cookie });
}

When(
  'I ask in a browser to connect {string} to {string}',
  async function (this: SvcWorld, name: string, provider: string) {
    this.refuseUnchecked();
    const answer = await begin(this, name, provider);
    this.answer = { ...answer, checked: answer.status < 400 };
  },
);

/** One address for the deployment, whatever the provider. */
Then('people come back from there to {string}', function (this: SvcWorld, back: string) {
  const { authorize_url } = this.answer!.json() as { authorize_url: string };
  const found = new URL(authorize_url).searchParams.get('redirect_uri');
  assert.equal(found, this.expand(back));
  assert.match(found ?? '', /^https?:\/\/[^/]+\/(.*\/)?connections\/callback$/);
});

const isTaken = async (world: SvcWorld, token: string): Promise<boolean> => {
  const headers = { authorization: `Bearer ${world.expand(token)}` };
  const { status } = await fetch(`${serverOf(world).url}/me`, { headers });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
};

Then('the provider takes the token {string} no more', async function (this: SvcWorld, token: string) {
  assert.equal(await isTaken(this, token), false);
});

Then('the provider still takes the token {string}', async function (this: SvcWorld, token: string) {
  assert.equal(await isTaken(this, token), true);
});

/** Of the list of providers that the command line has printed. */
Then(
  'the provider {string} among them has {string} {string}',
  function (this: SvcWorld, provider: string, member: string, value: string) {
    const { providers } = JSON.parse(this.cli?.stdout ?? '') as { providers: Record<string, unknown>[] };
    assert.equal(String(providers.find(({ name }) => name === provider)?.[member]), value);
  },
);

When('the provider lets its answer go', async function (this: SvcWorld) {
  const server = serverOf(this);
  // The account says that it is renewed before the request is on its way.
  await until('an answer of the provider', 60_000, async () => server.held > 0 || undefined);
  server.letGo();
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
