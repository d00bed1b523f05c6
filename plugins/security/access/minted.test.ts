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
      const worker = await mint(server, owner, 'worker', { kind: 'agent', org: 'acme', expires_in: '1h' });
      const renewal = `POST /api/v1/tokens/${worker.id}/renew`;
      for (let round = 0; round < 5; round += 1) {
        const top = await mint(server, owner, 'top', { org: 'acme' });
        const renewing = Array.from({ length: 6 }, () => server.call(top.token, renewal, { expires_in: '2h' }));
        const [gone, ...renewed] = await Promise.all([revoke(server, owner, top), ...renewing]);
        t.ok([200, 204].includes(gone.status));
        for (const { status } of renewed) t.ok(status === 200 || status === 401, `${status}`);
        const { json } = await server.call(owner, 'GET /api/v1/orgs/acme/audit?limit=10');
        const entries = json.entries as { action: string; subject: string }[];
        const newest = entries.find(({ action }) => action === 'token.renew' || action === 'token.revoke');
        t.match(newest, { action: 'token.revoke', subject: top.id }, 'nothing was renewed after it');
      }
      await revoke(server, owner, worker);
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
