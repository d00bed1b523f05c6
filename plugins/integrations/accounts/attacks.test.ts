import t from 'tap';
import type { Answer } from '../../../test/kit/index.ts';
import { RemoteProvider } from './testing/remote-provider.ts';
import { openWorld } from './testing/world.ts';

const ISSUERS = ['https://far.example', 'https://evil.example'] as const;

/** Two providers that know nothing of each other; the second one belongs to somebody who wants the accounts of the first. */
async function openTwo(t: import('tap').Test) {
  const evil = new RemoteProvider();
  await evil.listen();
  t.teardown(() => evil.close());
  const far = new RemoteProvider();
  await far.listen();
  t.teardown(() => far.close());
  const providers = [far.settings('far', { issuer: ISSUERS[0] }), evil.settings('evil', { issuer: ISSUERS[1] })];
  const env = { SVC_CONNECTED_ACCOUNT_PROVIDERS: JSON.stringify(providers) };
  return { evil, world: await openWorld(t, 'sqlite', { far, env }) };
}

t.test('attacks on the way back from a provider', async (t) => {
  const { evil, world } = await openTwo(t);
  const { far, call } = world;
  const begin = async (name: string, provider = 'far') =>
    (await world.begin(name, { provider })).json.authorize_url as string;
  const none = async (name: string) => t.equal((await call('member', `GET {scoped}/accounts/${name}`)).status, 404);
  const refused = ({ status, text }: Answer, says: RegExp, wanted = 400) => {
    t.equal(status, wanted, `answered ${wanted}`);
    t.match(text, says);
  };

  t.test('mix-up: the answer of one provider is not taken for the other', async (t) => {
    const honest = far.consent(await begin('mixed'));
    honest.set('iss', ISSUERS[1]);
    refused(await world.callback(honest), /not from far/);
    t.same([far.codes, evil.codes], [[], []], 'the code is shown to nobody');
    await none('mixed');
    // The attacker's provider has the person bring a code of the honest one to it.
    const stolen = far.consent(await begin('mixed')).get('code')!;
    const lured = new URLSearchParams({
      code: stolen,
      state: new URL(await begin('mixed', 'evil')).searchParams.get('state')!,
    });
    lured.set('iss', ISSUERS[0]);
    refused(await world.callback(lured), /not from evil/);
    t.same(evil.codes, [], 'the attacker never gets the code');
    // And the other way round: a code of the attacker's own account, for the state of the honest provider.
    const own = evil.consent(await begin('mixed', 'evil')).get('code')!;
    const state = new URL(await begin('mixed')).searchParams.get('state')!;
    refused(await world.callback(new URLSearchParams({ code: own, state, iss: ISSUERS[0] })), /sent no token/, 424);
    await none('mixed');
  });

  t.test('swapped: the code of one way does not end another', async () => {
    const [first, second] = [far.consent(await begin('one')), far.consent(await begin('two'))];
    const code = first.get('code')!;
    first.set('code', second.get('code')!);
    second.set('code', code);
    refused(await world.callback(first), /sent no token/, 424);
    refused(await world.callback(second), /sent no token/, 424);
    await none('one');
    await none('two');
  });

  t.test('replayed at the same moment: one of them is taken', async (t) => {
    const query = far.consent(await begin('race'));
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => world.callback(query)))).map(
      ({ status }) => status,
    );
    t.same(statuses.toSorted(), [200, 400, 400, 400, 400, 400]);
    t.equal(far.codes.filter((code) => code === query.get('code')).length, 1);
  });

  t.test('programs that look ahead use nothing up', async (t) => {
    const query = far.consent(await begin('ahead'));
    const head = await fetch(`${world.server.url}/connections/callback?${query}`, { method: 'HEAD' });
    t.equal(head.status, 200);
    t.equal((await world.callback(query)).status, 200);
  });

  t.test('the page leads nowhere but to the console', async (t) => {
    const query = far.consent(await begin('open'));
    for (const name of ['redirect_uri', 'next', 'to', 'return_to', 'url', 'project', 'org'])
      query.set(name, 'https://evil.example/');
    const cookie = await world.signIn('admin');
    const hostile = {
      cookie,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const foreign = await call('', `GET /connections/callback?${query}`, undefined, hostile);
    refused(foreign, /another browser/, 403);
    const page = await world.callback(far.consent(await begin('open')));
    for (const { text, headers } of [foreign, page]) {
      t.notMatch(text, /evil\.example/);
      t.equal(headers.get('location'), null);
    }
    const asked = await call(
      'admin',
      'POST {scoped}/accounts/open/connect',
      { provider: 'far', redirect_uri: 'https://evil.example/' },
      { cookie },
    );
    t.match(asked, { status: 400, json: { code: 'invalid_request' } });
    const { authorize_url } = (
      await call('admin', 'POST {scoped}/accounts/open/connect', { provider: 'far' }, { ...hostile, cookie })
    ).json;
    t.notMatch(decodeURIComponent(authorize_url), /evil\.example/);
  });

  t.test('what was said at the beginning is checked again at the end', async (t) => {
    const query = far.consent(await begin('late'));
    const user = (await call('admin', 'GET /api/v1/whoami')).json.user.name;
    t.equal((await call('owner', `PUT {scoped}/members/${user}`, { role: 'viewer' })).status, 200);
    refused(await world.callback(query), /cannot connect accounts here/, 403);
    t.equal(far.codes.includes(query.get('code')!), false, 'nothing was asked of the provider');
    t.equal((await call('owner', `PUT {scoped}/members/${user}`, { role: 'admin' })).status, 200);
    await none('late');
  });

  t.test('whose account it is cannot be made up', async (t) => {
    const ordinary = far.who;
    const deep = Buffer.from(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    const strange = [
      [],
      'ana',
      { id: [7] },
      { id: true },
      { id: '' },
      { id: 'a\u0000b' },
      { id: 'x'.repeat(256) },
      deep,
    ];
    for (const who of strange) {
      far.who = who;
      refused(await world.connect('who'), /does not say whose account/, 424);
    }
    far.who = { id: 9, login: '<script>alert(1)</script>\u202e' };
    const page = await world.connect('who');
    t.equal(page.status, 200);
    t.notMatch(page.text, /<script>/);
    t.match(await world.account('who'), { account: { id: '9' } });
    far.who = ordinary;
  });

  t.test('a token that the provider never gave is not taken from the address', async (t) => {
    const state = new URL(await begin('given')).searchParams.get('state')!;
    const query = new URLSearchParams({ state, access_token: 'at-evil', refresh_token: 'rt-evil', id_token: 'x.y.z' });
    refused(await world.callback(query), /has no code/);
    const { entries } = (await call('owner', 'GET {scoped}/audit')).json as { entries: object[] };
    t.notMatch(JSON.stringify(entries), /at-evil|rt-evil/);
    await none('given');
  });

  t.test('a code is not repeated in pages, and a hostile name of an account is no place', async (t) => {
    const query = far.consent(await begin('plain'));
    const page = await world.callback(query);
    t.notMatch(page.text, query.get('code')!);
    t.notMatch(page.text, query.get('state')!);
    for (const name of ['..', '%2e%2e', 'a%2Fb', '<b>', 'a'.repeat(300)])
      t.ok((await world.begin(encodeURIComponent(name))).status >= 400, name);
    t.match(await world.account('plain'), { status: 'active' });
  });
});
