import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { boot, STORES, type TestServer } from '../../../test/kit/index.ts';
import { Bootstrap } from './contract.ts';

interface Made {
  id: string;
  token: string;
}

const mint = async ({ call }: TestServer, by: string, name: string, more: object = {}): Promise<Made> => {
  const { status, json } = await call(by, 'POST /api/v1/tokens', { name, ...more });
  if (status !== 201) throw new Error(`${name} is not made: ${status} ${JSON.stringify(json)}`);
  return json;
};

const revoke = ({ call }: TestServer, by: string, { id }: Made, query = '') =>
  call(by, `DELETE /api/v1/tokens/${id}${query}`);

const namesOf = (tokens: readonly { name: string }[]) => tokens.map(({ name }) => name).sort();

/** Tokens that are not revoked, by name. */
async function living({ use }: TestServer): Promise<string[]> {
  const rows = await use(Database).read<{ name: string }>('SELECT name FROM access_tokens WHERE revoked_at IS NULL');
  return namesOf(rows);
}

for (const store of STORES)
  t.test(`tokens that tokens have made, on ${store}`, async (t) => {
    const env = { SVC_RATE_LIMIT: 'off' };
    const server = await boot({ store, access: 'empty', plugins: ['access', 'sessions'], env });
    t.teardown(() => server.close());
    const owner = (await server.use(Bootstrap).ensure({ user: 'olga', org: 'acme', project: 'web' })).token;
    const audited = async () =>
      (
        await server
          .use(Database)
          .read<{ subject: string; detail: string }>(
            "SELECT subject, detail FROM audit_entries WHERE action = 'token.revoke' ORDER BY entry_id",
          )
      ).map(({ subject, detail }) => `${subject} ${detail}`);

    /** `top` has made an agent's token, `mid` and `short`; `mid` has made `leaf`. */
    const family = async () => {
      const top = await mint(server, owner, 'top', { org: 'acme' });
      const agent = await mint(server, top.token, 'worker', { kind: 'agent', org: 'acme' });
      const mid = await mint(server, top.token, 'mid', { role: 'member' });
      const leaf = await mint(server, mid.token, 'leaf', { project: 'web' });
      return { top, agent, mid, leaf };
    };

    await t.test('revoked alone, it says which others it has made', async (t) => {
      const { top, mid, leaf, agent } = await family();
      const { status, json } = await revoke(server, owner, top, '?keep_minted=true');
      t.equal(status, 200);
      t.same(namesOf(json.living), ['leaf', 'mid', 'worker']);
      t.match({ ...json, living: [] }, { revoked: [], more: 0, beyond_reach: 0 });
      t.notMatch(JSON.stringify(json), leaf.token);
      t.equal((await server.call(mid.token, 'GET /api/v1/whoami')).status, 200, 'they go on');
      t.equal((await revoke(server, owner, leaf)).status, 204, 'one that has made none');
      t.match((await revoke(server, owner, mid)).status, 204, 'and one whose tokens are revoked');
      t.equal((await revoke(server, owner, agent)).status, 204);
      t.same(await living(server), ['bootstrap']);
    });

    await t.test('with them, all go at once, each in the audit', async (t) => {
      const before = (await audited()).length;
      const { top, mid, leaf, agent } = await family();
      t.equal((await revoke(server, owner, mid, '?with_minted=false')).status, 200, 'a link of the chain that is gone');
      const { status, json } = await revoke(server, owner, top);
      t.equal(status, 200);
      t.same(namesOf(json.revoked), ['leaf', 'worker']);
      t.match({ ...json, revoked: [] }, { living: [], more: 0, beyond_reach: 0 });
      for (const { token } of [top, mid, leaf])
        t.equal((await server.call(token, 'GET /api/v1/whoami')).status, 401, 'at once');
      t.same(await living(server), ['bootstrap']);
      t.same(
        (await audited()).slice(before).sort(),
        [
          `${mid.id} user mid, at most member`,
          `${top.id} user top`,
          `${agent.id} agent worker, created by ${top.id}`,
          `${leaf.id} user leaf, at most member, created by ${top.id}`,
        ].sort(),
      );
      t.match(await revoke(server, owner, top, '?keep_minted=maybe'), { status: 400 });
      const both = await revoke(server, owner, top, '?keep_minted=true&with_minted=true');
      t.match(both, { status: 400, json: { code: 'invalid_request', errors: [{ pointer: '/query/with_minted' }] } });
    });

    await t.test('what a session of a token has made goes with the token', async (t) => {
      const top = await mint(server, owner, 'top', { org: 'acme' });
      const headers = { authorization: `Bearer ${top.token}`, 'sec-fetch-site': 'same-origin' };
      const begun = await server.call(undefined, 'POST /api/v1/session', undefined, headers);
      const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
      const page = { cookie, 'sec-fetch-site': 'same-origin', 'x-svc-csrf': begun.json.csrf };
      const made = await server.call(undefined, 'POST /api/v1/tokens', { name: 'paged', org: 'acme' }, page);
      t.equal(made.status, 201);
      t.match((await revoke(server, owner, top)).json, { revoked: [{ name: 'paged' }] });
      t.equal((await server.call(made.json.token, 'GET /api/v1/whoami')).status, 401);
      t.same(await living(server), ['bootstrap']);
    });

    await t.test('only what the caller may revoke alone', async (t) => {
      await server.call(owner, 'PUT /api/v1/orgs/acme/members/ben', { role: 'owner' });
      const bens = await mint(server, owner, 'bens', { org: 'acme', user: 'ben' });
      const agent = await mint(server, bens.token, 'worker', { kind: 'agent', org: 'acme' });
      const own = await mint(server, bens.token, 'own', {});
      await server.call(owner, 'PUT /api/v1/orgs/acme/members/ben', { role: 'member' });
      const { status, json } = await revoke(server, own.token, own);
      t.same({ status, json }, { status: 204, json: undefined });
      const again = await mint(server, bens.token, 'again', {});
      const answer = await revoke(server, bens.token, bens);
      t.same(namesOf(answer.json.revoked), ['again'], again.id);
      t.equal(answer.json.beyond_reach, 1, "the agent's token is for owners");
      t.equal((await revoke(server, owner, agent)).status, 204);
    });

    await t.test('no token is renewed by one that was revoked at the same moment', async (t) => {
      for (let round = 0; round < 5; round += 1) {
        const worker = await mint(server, owner, 'worker', { kind: 'agent', org: 'acme', expires_in: '1h' });
        const renewal = `POST /api/v1/tokens/${worker.id}/renew`;
        const top = await mint(server, owner, 'top', { org: 'acme' });
        const renewing = Array.from({ length: 6 }, () => server.call(top.token, renewal, { expires_in: '2h' }));
        const [gone, ...renewed] = await Promise.all([revoke(server, owner, top), ...renewing]);
        t.ok([200, 204].includes(gone.status));
        for (const { status } of renewed) t.ok([200, 401, 404].includes(status), `${status}`);
        const { json } = await server.call(owner, 'GET /api/v1/orgs/acme/audit?limit=10');
        const entries = json.entries as { action: string; subject: string }[];
        const newest = entries.find(({ action }) => action === 'token.renew' || action === 'token.revoke');
        t.match(newest, { action: 'token.revoke' }, 'nothing was renewed after it');
        const renewed_one = renewed.some(({ status }) => status === 200);
        t.equal(
          (await revoke(server, owner, worker)).status,
          renewed_one ? 404 : 204,
          'what it has renewed went with it',
        );
      }
    });

    await t.test('a renewed token does not outlive the one that renewed it last', async (t) => {
      const until_when = async ({ id }: Made) =>
        Date.parse((await server.call(owner, `GET /api/v1/tokens/${id}`)).json.expires_at);
      const renew = (by: string, { id }: Made, expires_in: string) =>
        server.call(by, `POST /api/v1/tokens/${id}/renew`, { expires_in });
      const maker = await mint(server, owner, 'maker', { org: 'acme' });
      const worker = await mint(server, maker.token, 'worker', { kind: 'agent', org: 'acme', expires_in: '1h' });
      const first = await mint(server, owner, 'first', { org: 'acme' });
      const second = await mint(server, owner, 'second', { org: 'acme' });
      t.equal((await renew(first.token, worker, '10d')).status, 200);
      t.equal((await renew(second.token, worker, '20d')).status, 200);
      t.match(await revoke(server, owner, first), { status: 204 }, 'another one has renewed it since');
      const short = await mint(server, owner, 'short', { org: 'acme', expires_in: '1h' });
      t.match(await renew(short.token, worker, '2h'), { status: 403 }, 'not for longer than the token in use is valid');
      const { json } = await revoke(server, owner, second, '?keep_minted=true');
      t.same(namesOf(json.living), ['worker'], 'whoever keeps it reads about it');
      const third = await mint(server, owner, 'third', { org: 'acme' });
      const child = await mint(server, third.token, 'child', {});
      t.equal((await renew(child.token, worker, '30d')).status, 200);
      t.ok((await until_when(worker)) > Date.now() + 29 * 86_400_000);
      t.same(namesOf((await revoke(server, owner, third)).json.revoked), ['child', 'worker'], 'renewed by its child');
      const kept = await mint(server, maker.token, 'again', { kind: 'agent', org: 'acme', expires_in: '1h' });
      const fourth = await mint(server, owner, 'fourth', { org: 'acme' });
      await renew(fourth.token, kept, '10d');
      await renew(maker.token, kept, '2d');
      t.equal((await revoke(server, owner, fourth)).status, 204, 'its creator has renewed it since');
      await renew(owner, kept, '2d');
      t.same(
        namesOf((await revoke(server, owner, maker)).json.revoked),
        ['again'],
        'no renewal frees it of its creator',
      );
      await revoke(server, owner, short);
      t.same(await living(server), ['bootstrap']);
    });

    await t.test('who leaves the org takes along what they made for others', async (t) => {
      const ben = async () => {
        await server.call(owner, 'PUT /api/v1/orgs/acme/members/ben', { role: 'owner' });
        const bens = await mint(server, owner, 'bens', { org: 'acme', user: 'ben' });
        await server.call(bens.token, 'PUT /api/v1/orgs/acme/members/carla', { role: 'member' });
        const agent = await mint(server, bens.token, 'worker', { kind: 'agent', org: 'acme' });
        const olgas = await mint(server, owner, 'olgas', { kind: 'agent', org: 'acme', expires_in: '1h' });
        await server.call(bens.token, `POST /api/v1/tokens/${olgas.id}/renew`, { expires_in: '9d' });
        const carlas = await mint(server, bens.token, 'carlas', { org: 'acme', user: 'carla' });
        const hers = await mint(server, carlas.token, 'hers', {});
        return { bens, agent, olgas, carlas, hers };
      };
      const made = await ben();
      const left = await server.call(owner, 'DELETE /api/v1/orgs/acme/members/ben');
      t.equal(left.status, 200);
      t.same(namesOf(left.json.revoked), ['carlas', 'hers', 'olgas', 'worker']);
      t.equal(left.json.more, 0);
      for (const { token } of [made.bens, made.carlas, made.hers])
        t.equal((await server.call(token, 'GET /api/v1/whoami')).status, 401);
      t.same(await living(server), ['bootstrap']);
      const { entries } = (await server.call(owner, 'GET /api/v1/orgs/acme/audit?action=token.revoke&limit=4')).json;
      for (const { detail } of entries as { detail: string }[]) t.match(detail, /created or renewed by ben, who left$/);
      const others = await ben();
      const kept = await server.call(owner, 'DELETE /api/v1/orgs/acme/members/ben?keep_minted=true');
      t.equal(kept.status, 204);
      t.same(await living(server), ['bootstrap', 'carlas', 'hers', 'olgas', 'worker']);
      for (const one of [others.agent, others.olgas, others.carlas]) await revoke(server, owner, one);
      t.same(await living(server), ['bootstrap']);
      const nobody = await server.call(owner, 'DELETE /api/v1/orgs/acme/members/carla');
      t.equal(nobody.status, 204, 'who has made none');
    });

    await t.test('nobody makes a token for an agent while they lose the role', async (t) => {
      for (let round = 0; round < 5; round += 1) {
        await server.call(owner, 'PUT /api/v1/orgs/acme/members/ben', { role: 'owner' });
        const bens = await mint(server, owner, 'bens', { org: 'acme', user: 'ben' });
        const making = Array.from({ length: 6 }, () =>
          server.call(bens.token, 'POST /api/v1/tokens', { name: 'late', kind: 'agent', org: 'acme' }),
        );
        const [gone, ...made] = await Promise.all([
          server.call(owner, 'DELETE /api/v1/orgs/acme/members/ben'),
          ...making,
        ]);
        t.ok([200, 204].includes(gone.status));
        for (const { status } of made) t.ok([201, 401, 403, 404].includes(status), `${status}`);
        t.same(await living(server), ['bootstrap'], `round ${round}`);
      }
    });

    await t.test('no token is made by one that is revoked at the same moment', async (t) => {
      for (let round = 0; round < 10; round += 1) {
        const top = await mint(server, owner, 'top', { org: 'acme' });
        const making = Array.from({ length: 6 }, () => server.call(top.token, 'POST /api/v1/tokens', { name: 'late' }));
        const [gone, ...made] = await Promise.all([revoke(server, owner, top), ...making]);
        t.ok([200, 204].includes(gone.status));
        for (const { status } of made) t.ok(status === 201 || status === 401, `${status}`);
        t.same(await living(server), ['bootstrap'], `round ${round}`);
      }
    });
  });
