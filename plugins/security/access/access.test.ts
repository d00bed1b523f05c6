import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Access as AccessRule } from '../../../kernel/contracts/index.ts';
import { AccessControl, AdminCommands, Database, isServiceError } from '../../../kernel/contracts/index.ts';
import { Audit, OPERATOR } from '../../platform/audit/contract.ts';
import { Bootstrap, VisibleOrgs, Scopes } from './contract.ts';
import { UNLIMITED } from './domain/roles.ts';
import { Access } from './service/access.ts';
import { Directory } from './service/directory.ts';
import { CACHE_MS } from './service/identities.ts';
import { MIN_INTERVAL_MS } from './service/last-use.ts';
import { PendingInvitations } from './service/pending-invitations.ts';
import { type Answer, boot, openTestDatabase, STORES, type TestServer } from '../../../test/kit/index.ts';

/** Two orgs: `acme` with an owner and one user per project role, and `rival` with an owner. */
async function settle(server: TestServer) {
  const bootstrap = server.use(Bootstrap);
  const owner = (await bootstrap.ensure({ user: 'olga', org: 'acme', project: 'web' })).token;
  const rival = (await bootstrap.ensure({ user: 'rita', org: 'rival', project: 'web' })).token;
  const tokens: Record<string, string> = { owner, rival };
  for (const role of ['viewer', 'member', 'admin']) {
    await server.call(owner, `PUT /api/v1/orgs/acme/projects/web/members/${role}1`, { role });
    const made = await server.call(owner, 'POST /api/v1/tokens', { name: role, org: 'acme', user: `${role}1` });
    tokens[role] = made.json.token;
  }
  await server.call(owner, 'PUT /api/v1/orgs/acme/members/idle', { role: 'member' });
  tokens.idle = (
    await server.call(owner, 'POST /api/v1/tokens', { name: 'idle', org: 'acme', user: 'idle' })
  ).json.token;
  tokens.agent = (
    await server.call(owner, 'POST /api/v1/tokens', { name: 'a', org: 'acme', kind: 'agent' })
  ).json.token;
  tokens.capped = (await server.call(owner, 'POST /api/v1/tokens', { name: 'capped', role: 'viewer' })).json.token;
  tokens.narrow = (
    await server.call(owner, 'POST /api/v1/tokens', { name: 'n', org: 'acme', project: 'web', role: 'member' })
  ).json.token;
  return tokens as Record<
    'owner' | 'rival' | 'viewer' | 'member' | 'admin' | 'idle' | 'agent' | 'capped' | 'narrow',
    string
  >;
}

for (const store of STORES)
  t.test(`access on ${store}`, async (t) => {
    const server = await boot({ store, access: 'empty', plugins: ['access'] });
    t.teardown(() => server.close());
    const tokens = await settle(server);

    t.test('every kind of access, for every role, own and foreign', async (t) => {
      const control = server.use(AccessControl);
      const ask = async (token: string, access: AccessRule, org: string, project: string) => {
        try {
          const principal = await control.authenticate(`Bearer ${token}`, '127.0.0.1');
          const scope = await control.authorize(principal, access, { org, project });
          return scope.project || scope.org || 'yes';
        } catch (error) {
          if (isServiceError(error)) return error.status;
          throw error;
        }
      };
      const project = (role: 'viewer' | 'member' | 'admin'): AccessRule => ({ kind: 'project', role });
      const org = (role: 'owner' | 'member'): AccessRule => ({ kind: 'org', role });
      const rules = [project('viewer'), project('member'), project('admin'), org('member'), org('owner')];
      const table: Record<string, unknown[]> = {
        owner: ['web', 'web', 'web', 'acme', 'acme'],
        admin: ['web', 'web', 'web', 'acme', 403],
        member: ['web', 'web', 403, 'acme', 403],
        viewer: ['web', 403, 403, 'acme', 403],
        idle: [404, 404, 404, 'acme', 403],
        capped: ['web', 403, 403, 'acme', 403],
        narrow: ['web', 'web', 403, 'acme', 403],
        rival: [404, 404, 404, 404, 404],
        agent: [403, 403, 403, 403, 403],
      };
      for (const [who, expected] of Object.entries(table)) {
        const token = tokens[who as keyof typeof tokens];
        const got = await Promise.all(rules.map((rule) => ask(token, rule, 'acme', 'web')));
        t.same(got, expected, `${who} in acme`);
        const absent = await Promise.all(rules.map((rule) => ask(token, rule, 'nowhere', 'web')));
        t.same(absent, who === 'agent' ? expected : [404, 404, 404, 404, 404], `${who} in an org that is not`);
        t.equal(await ask(token, { kind: 'user' }, '', ''), who === 'agent' ? 403 : 'yes', `${who} as a user`);
        t.equal(await ask(token, { kind: 'agent' }, '', ''), who === 'agent' ? 'yes' : 403, `${who} as an agent`);
        t.equal(await ask(token, { kind: 'public' }, '', ''), 'yes', `${who} in public`);
      }
      t.equal(await ask(tokens.owner, project('viewer'), 'ACME', 'web'), 404, 'names compare by bytes');
      t.equal(await ask(tokens.owner, project('viewer'), 'acme', 'Web'), 404);
      for (const odd of ['', ' acme', "acme' OR '1'='1", 'ácme', '\u0000', '0', '%'])
        t.equal(await ask(tokens.owner, org('member'), odd, ''), 404, JSON.stringify(odd));
    });

    t.test('a foreign org or project answers like an absent one, to the letter', async (t) => {
      const strip = ({ status, json }: Answer, name: string) =>
        JSON.stringify({ status, ...json, request_id: '' }).replaceAll(name, 'X');
      for (const line of [
        'GET /api/v1/orgs/X',
        'GET /api/v1/orgs/X/members',
        'GET /api/v1/orgs/X/projects/web',
        'PUT /api/v1/orgs/X/projects/new',
      ]) {
        const foreign = await server.call(tokens.rival, line.replace('X', 'acme'));
        const absent = await server.call(tokens.rival, line.replace('X', 'absent'));
        t.equal(foreign.status, 404);
        t.equal(strip(foreign, 'acme'), strip(absent, 'absent'), line);
      }
      for (const body of [
        { name: 'x', org: 'X', project: 'web' },
        { name: 'x', org: 'X', kind: 'agent' },
        { name: 'x', org: 'X', user: 'olga' },
      ]) {
        const foreign = await server.call(tokens.rival, 'POST /api/v1/tokens', { ...body, org: 'acme' });
        const absent = await server.call(tokens.rival, 'POST /api/v1/tokens', { ...body, org: 'absent' });
        t.equal(foreign.status, 404);
        t.equal(strip(foreign, 'acme'), strip(absent, 'absent'), JSON.stringify(body));
      }
    });

    t.test('whoami names user, token, orgs and projects with the roles of this token', async (t) => {
      const me = await server.call(tokens.owner, 'GET /api/v1/whoami');
      t.equal(me.status, 200);
      t.match(me.json, { user: { name: 'olga' }, token: { name: 'bootstrap', kind: 'user' } });
      t.same(me.json.orgs, [{ org: 'acme', role: 'owner', projects: [{ project: 'web', role: 'admin' }] }]);
      const capped = await server.call(tokens.capped, 'GET /api/v1/whoami');
      t.same(capped.json.orgs, [{ org: 'acme', role: 'member', projects: [{ project: 'web', role: 'viewer' }] }]);
      const idle = await server.call(tokens.idle, 'GET /api/v1/whoami');
      t.same(idle.json.orgs, [{ org: 'acme', role: 'member', projects: [] }]);
      const none = await server.call(undefined, 'GET /api/v1/whoami');
      t.equal(none.status, 401);
      t.match(none.headers.get('www-authenticate'), /^Bearer/);
      t.match(none.json, { code: 'not_authenticated', detail: 'the Authorization header is missing' });
      const reach = server.use(VisibleOrgs);
      const principal = await server.use(AccessControl).authenticate(`Bearer ${tokens.idle}`, '');
      t.equal((await reach.orgsOf(principal)).length, 1);
    });

    t.test('orgs and projects are created once, by owners', async (t) => {
      t.equal((await server.call(tokens.owner, 'PUT /api/v1/orgs/second')).status, 201);
      t.equal((await server.call(tokens.owner, 'PUT /api/v1/orgs/second', {})).status, 200);
      t.equal((await server.call(tokens.rival, 'PUT /api/v1/orgs/second')).json.code, 'name_conflict');
      t.equal((await server.call(tokens.capped, 'PUT /api/v1/orgs/third')).status, 403);
      t.equal((await server.call(tokens.admin, 'PUT /api/v1/orgs/third')).status, 403);
      t.equal((await server.call(tokens.admin, 'PUT /api/v1/orgs/rival')).status, 403, 'as for an absent one');
      t.equal((await server.call(tokens.owner, 'PUT /api/v1/orgs/second/projects/p1')).status, 201);
      t.equal((await server.call(tokens.owner, 'PUT /api/v1/orgs/second/projects/p1')).status, 200);
      t.equal((await server.call(tokens.owner, 'PUT /api/v1/orgs/second/projects/p2')).status, 201);
      t.equal((await server.call(tokens.admin, 'PUT /api/v1/orgs/acme/projects/p3')).status, 403);
      t.match((await server.call(tokens.owner, 'GET /api/v1/orgs/second/projects/p1')).json, {
        project: 'p1',
        org: 'second',
        role: 'admin',
      });
      const first = await server.call(tokens.owner, 'GET /api/v1/orgs/second/projects?limit=1');
      t.same(
        first.json.projects.map((one: { project: string }) => one.project),
        ['p2'],
        'newest first',
      );
      const rest = await server.call(
        tokens.owner,
        `GET /api/v1/orgs/second/projects?limit=1&cursor=${first.json.next_cursor}`,
      );
      t.same(
        rest.json.projects.map((one: { project: string }) => one.project),
        ['p1'],
      );
      t.notOk('next_cursor' in rest.json);
      const orgs = await server.call(tokens.owner, 'GET /api/v1/orgs');
      t.same(
        orgs.json.orgs.map((one: { org: string }) => one.org),
        ['second', 'acme'],
      );
      t.same(
        (await server.call(tokens.viewer, 'GET /api/v1/orgs')).json.orgs.map((one: { org: string }) => one.org),
        ['acme'],
      );
      t.same((await server.call(tokens.idle, 'GET /api/v1/orgs/acme/projects')).json, { projects: [] });
      t.equal((await server.call(tokens.narrow, 'GET /api/v1/orgs/acme/projects')).json.projects.length, 1);
      t.equal((await server.call(tokens.narrow, 'GET /api/v1/orgs/second')).status, 404, "out of the token's org");
    });

    t.test('racing creations of one org: one maker, and nobody fails', async (t) => {
      for (let round = 0; round < 5; round += 1) {
        const mine = Array.from({ length: 6 }, () => server.call(tokens.owner, `PUT /api/v1/orgs/race${round}`));
        const same = (await Promise.all(mine)).map(({ status }) => status).sort();
        t.same(same, [200, 200, 200, 200, 200, 201]);
        const both = [tokens.owner, tokens.rival, tokens.owner, tokens.rival];
        const rivals = await Promise.all(both.map((token) => server.call(token, `PUT /api/v1/orgs/duel${round}`)));
        const counts = [200, 201, 409].map((code) => rivals.filter(({ status }) => status === code).length);
        t.same(counts, [1, 1, 2], 'the winner twice, the loser never');
      }
    });

    t.test('members come, change and go; the last owner stays', async (t) => {
      const path = '/api/v1/orgs/acme/members';
      t.match(await server.call(tokens.owner, `PUT ${path}/zoe`, { role: 'member' }), {
        status: 201,
        json: { user: 'zoe', role: 'member' },
      });
      t.equal((await server.call(tokens.owner, `PUT ${path}/zoe`, { role: 'owner' })).status, 200);
      t.equal((await server.call(tokens.owner, `GET ${path}/zoe`)).json.role, 'owner');
      t.equal((await server.call(tokens.admin, `PUT ${path}/zoe`, { role: 'member' })).status, 403);
      t.equal((await server.call(tokens.viewer, `GET ${path}`)).json.members.length, 6);
      t.equal((await server.call(tokens.owner, `DELETE ${path}/zoe`)).status, 204);
      t.equal((await server.call(tokens.owner, `DELETE ${path}/zoe`)).status, 404);
      t.equal((await server.call(tokens.owner, `GET ${path}/zoe`)).status, 404);
      t.match(await server.call(tokens.owner, `DELETE ${path}/olga`), { status: 409, json: { code: 'last_owner' } });
      t.match(await server.call(tokens.owner, `PUT ${path}/olga`, { role: 'member' }), {
        status: 409,
        json: { code: 'last_owner' },
      });
      t.equal((await server.call(tokens.owner, `PUT ${path}/olga`, { role: 'owner' })).status, 200);
      t.equal((await server.call(tokens.owner, `PUT ${path}/zoe`, { role: 'admin' })).status, 400, 'no role of an org');
      const web = '/api/v1/orgs/acme/projects/web/members';
      t.equal((await server.call(tokens.admin, `PUT ${web}/yan`, { role: 'viewer' })).status, 201);
      t.equal(
        (await server.call(tokens.owner, `GET ${path}/yan`)).json.role,
        'member',
        'and a member of the org with it',
      );
      t.equal((await server.call(tokens.member, `DELETE ${web}/yan`)).status, 403);
      t.equal((await server.call(tokens.admin, `DELETE ${web}/yan`)).status, 204);
      t.equal(
        (await server.call(tokens.owner, `GET ${path}/yan`)).status,
        200,
        'who leaves a project stays in the org',
      );
      t.equal((await server.call(tokens.admin, `PUT ${web}/yan`, { role: 'owner' })).status, 400);
    });

    t.test('of two owners that leave at once, one stays', async (t) => {
      for (let round = 0; round < 5; round += 1) {
        const path = `/api/v1/orgs/pair${round}/members`;
        await server.call(tokens.owner, `PUT /api/v1/orgs/pair${round}`);
        await server.call(tokens.owner, `PUT ${path}/rita`, { role: 'owner' });
        const { invitations } = (await server.call(tokens.rival, 'GET /api/v1/invitations')).json;
        await server.call(tokens.rival, `POST /api/v1/invitations/${invitations[0].id}/accept`);
        const answers = await Promise.all([
          server.call(tokens.owner, `DELETE ${path}/rita`),
          server.call(tokens.rival, `DELETE ${path}/olga`),
        ]);
        const won = answers.filter(({ status }) => status === 204).length;
        t.equal(won, 1, JSON.stringify(answers.map(({ status }) => status)));
        const stays = answers[0]!.status === 204 ? tokens.owner : tokens.rival;
        t.equal((await server.call(stays, `GET ${path}`)).json.members.length, 1);
      }
    });

    t.test("what a user's tokens could do ends with the membership", async (t) => {
      const web = '/api/v1/orgs/acme/projects/web';
      await server.call(tokens.owner, `PUT ${web}/members/tim`, { role: 'member' });
      const made = await server.call(tokens.owner, 'POST /api/v1/tokens', {
        name: 't',
        org: 'acme',
        project: 'web',
        user: 'tim',
      });
      const tim = made.json.token;
      t.equal((await server.call(tim, `GET ${web}`)).json.role, 'member');
      await server.call(tokens.owner, `PUT ${web}/members/tim`, { role: 'viewer' });
      t.equal((await server.call(tim, `GET ${web}`)).json.role, 'viewer', 'a change of role works at once');
      const access = server.use(Access);
      const before = await access.identities.authenticate(`Bearer ${tim}`);
      await server.call(tokens.owner, `DELETE /api/v1/orgs/acme/members/tim`);
      await t.rejects(
        access.tokens.create(before, { name: 'late', org: 'acme', project: 'web' }, OPERATOR),
        { code: 'not_found' },
        'a server that has not heard of it makes no token that would come back with him',
      );
      t.equal((await server.call(tim, `GET ${web}`)).status, 401);
      await server.call(tokens.owner, `PUT ${web}/members/tim`, { role: 'member' });
      t.match(
        await server.call(tim, `GET ${web}`),
        { status: 401, json: { detail: /was revoked/ } },
        'and does not come back',
      );
    });

    t.test('observers of a membership hear of its end inside the transaction', async (t) => {
      const access = server.use(Access);
      const database = server.use(Database);
      const heard: unknown[] = [];
      const observer = {
        name: 'test',
        onRemoved: async (
          tx: { read(sql: string, params: string[]): Promise<unknown[]> },
          left: { user_id: string },
        ) => {
          const rows = await tx.read('SELECT role FROM access_members WHERE user_id = ?', [left.user_id]);
          heard.push({ ...left, rows: rows.length });
          throw new Error('the observer refuses');
        },
      };
      const { ids, observers } = {
        ids: { next: () => 'mbr_TEST', bytes: () => Buffer.alloc(0) },
        observers: [observer],
      };
      const directory = new Directory({
        database,
        ids,
        identities: access.identities,
        observers,
        audit: server.use(Audit),
        pending: new PendingInvitations({ database, ids, audit: server.use(Audit) }),
        tokens: access.tokens,
      });
      const scope = (await server.use(Scopes).findProject('acme', 'web'))!;
      const user = await access.directory.putUser('viewer1');
      await t.rejects(
        directory.removeMember({ org_id: scope.org_id, project_id: '' }, user, OPERATOR),
        /the observer refuses/,
      );
      t.same(heard, [{ org_id: scope.org_id, project_id: null, user_id: user.user_id, rows: 0 }]);
      t.equal((await server.call(tokens.viewer, 'GET /api/v1/orgs/acme/projects/web')).status, 200, 'rolled back');
    });

    t.test('tokens: shown once, listed without values, narrowed, revoked at once', async (t) => {
      const made = await server.call(tokens.owner, 'POST /api/v1/tokens', {
        name: 'ci',
        org: 'acme',
        project: 'web',
        role: 'member',
        expires_in: '30d',
      });
      t.equal(made.status, 201);
      t.equal(made.headers.get('cache-control'), 'no-store');
      t.match(made.json, {
        name: 'ci',
        kind: 'user',
        user: 'olga',
        org: 'acme',
        project: 'web',
        role: 'member',
        token: /^svc_pat_/,
      });
      const list = await server.call(tokens.owner, 'GET /api/v1/tokens?limit=200');
      const text = JSON.stringify(list.json);
      for (const token of [...Object.values(tokens), made.json.token])
        t.notOk(text.includes(token.slice(8)), 'no value in a list');
      t.equal(list.json.tokens[0].id, made.json.id, 'newest first');
      t.match((await server.call(tokens.owner, `GET /api/v1/tokens/${made.json.id}`)).json, {
        id: made.json.id,
        expires_at: /^20/,
      });
      t.ok(
        list.json.tokens.some((one: { kind: string }) => one.kind === 'agent'),
        'agents of the own org are listed',
      );
      const other = await server.call(tokens.rival, `GET /api/v1/tokens/${made.json.id}`);
      t.equal(other.status, 404);
      t.equal((await server.call(tokens.rival, `DELETE /api/v1/tokens/${made.json.id}`)).status, 404);
      t.equal(
        (await server.call(made.json.token, 'POST /api/v1/tokens', { name: 'child', role: 'admin' })).status,
        403,
      );
      const child = await server.call(made.json.token, 'POST /api/v1/tokens', { name: 'child' });
      t.match(child.json, { org: 'acme', project: 'web', role: 'member', expires_at: made.json.expires_at });
      const seen = await server.call(made.json.token, 'GET /api/v1/tokens?limit=200');
      t.same(
        seen.json.tokens.map((one: { name: string }) => one.name).sort(),
        ['child', 'ci', 'n'],
        'only what is no stronger',
      );
      const strong = list.json.tokens.find((one: { name: string }) => one.name === 'bootstrap');
      t.equal((await server.call(made.json.token, `DELETE /api/v1/tokens/${strong.id}`)).status, 404);
      t.match(await server.call(tokens.owner, `DELETE /api/v1/tokens/${made.json.id}?keep_minted=true`), {
        status: 200,
        json: { living: [{ name: 'child' }] },
      });
      t.match(await server.call(made.json.token, 'GET /api/v1/whoami'), { status: 401, json: { detail: /revoked/ } });
      t.equal((await server.call(tokens.owner, `DELETE /api/v1/tokens/${made.json.id}`)).status, 404);
      const held = await server.use(AccessControl).authenticate(`Bearer ${child.json.token}`, '');
      t.equal((await server.use(VisibleOrgs).orgsOf(held)).length, 1);
      t.equal(
        (await server.call(child.json.token, `DELETE /api/v1/tokens/${child.json.id}`)).status,
        204,
        'a token may end itself',
      );
      await t.rejects(
        server.use(VisibleOrgs).orgsOf(held),
        { code: 'not_authenticated' },
        'a principal does not outlive it',
      );
      const rows = await server.use(Database).read<{ digest: Buffer }>('SELECT digest FROM access_tokens');
      t.ok(rows.every(({ digest }) => digest.length === 32));
    });

    t.test('a member may leave by himself, and nobody else for him', async (t) => {
      const [org, web] = ['/api/v1/orgs/acme/members', '/api/v1/orgs/acme/projects/web/members'];
      for (const user of ['lea', 'leo']) await server.call(tokens.owner, `PUT ${web}/${user}`, { role: 'member' });
      const token = async (user: string) =>
        (await server.call(tokens.owner, 'POST /api/v1/tokens', { name: user, org: 'acme', user })).json
          .token as string;
      const [lea, leo] = [await token('lea'), await token('leo')];
      const narrow = (await server.call(lea, 'POST /api/v1/tokens', { name: 'narrow', role: 'viewer' })).json.token;
      t.equal((await server.call(leo, `DELETE ${web}/lea`)).json.code, 'forbidden', 'a neighbour');
      t.equal((await server.call(leo, `DELETE ${org}/lea`)).json.code, 'forbidden');
      t.equal((await server.call(narrow, `DELETE ${web}/lea`)).json.code, 'forbidden', 'a limited token of her own');
      t.equal((await server.call(narrow, `DELETE ${org}/lea`)).json.code, 'forbidden');
      t.equal((await server.call(lea, `DELETE ${web}/lea`)).status, 204);
      t.equal((await server.call(tokens.owner, `GET ${web}/lea`)).status, 404);
      t.equal((await server.call(lea, `DELETE ${org}/lea`)).status, 204, 'and the org');
      t.equal((await server.call(lea, 'GET /api/v1/whoami')).status, 401, 'with her tokens for it');
      t.equal((await server.call(leo, `DELETE ${org}/leo`)).status, 204, 'the org with its projects at once');
      t.equal((await server.call(tokens.owner, `GET ${web}/leo`)).status, 404);
      t.equal((await server.call(tokens.owner, `DELETE ${org}/olga`)).json.code, 'last_owner');
      const told = await server
        .use(Database)
        .read<{ principal_name: string; subject: string }>(
          "SELECT principal_name, subject FROM audit_entries WHERE action = 'member.remove' AND principal_name = 'lea'",
        );
      t.same(
        told.map(({ subject }) => subject),
        ['lea', 'lea'],
      );
    });

    t.test('expired, unknown and malformed tokens are told so', async (t) => {
      const access = server.use(Access);
      const user = await access.directory.putUser('olga');
      const gone = { kind: 'user', user_id: user.user_id, limits: UNLIMITED, name: 'old', created_by: 'x' } as const;
      const { text } = await access.tokens.issue({ ...gone, expires_at: server.use(Database).now() - 1 }, OPERATOR);
      t.match(await server.call(text, 'GET /api/v1/whoami'), {
        status: 401,
        json: { detail: /"old" expired at 20.*create a new one/ },
      });
      t.match((await server.call(`svc_pat_${'A'.repeat(43)}`, 'GET /api/v1/whoami')).json, {
        detail: 'the server does not know this token',
      });
      t.match((await server.call('nonsense', 'GET /api/v1/whoami')).json, { detail: /svc_pat_ or svc_agt_/ });
      t.match(await server.call(tokens.agent, 'GET /api/v1/whoami'), {
        status: 403,
        json: { detail: /agent channel/ },
      });
    });

    t.test('bad input is refused with its pointer, never a 5xx', async (t) => {
      const bodies: unknown[] = [
        {},
        { name: '' },
        { name: 'a b' },
        { name: 1 },
        { name: 'x', role: 'owner' },
        { name: 'x', kind: 'root' },
        [],
        null,
        'x',
        1,
      ];
      bodies.push(
        { name: 'x', more: 1 },
        { name: 'x', expires_in: -1 },
        { name: 'x', expires_in: 1.5 },
        { name: 'x', expires_in: '99999d' },
      );
      bodies.push(
        { name: 'x', expires_in: {} },
        { name: 'x', project: 'web', org: '../x' },
        { name: 'x', kind: 'agent', role: 'viewer', org: 'acme' },
      );
      for (const body of bodies) {
        const answer = await server.call(tokens.owner, 'POST /api/v1/tokens', body);
        t.match(answer, { status: 400, json: { code: 'invalid_request' } }, JSON.stringify(body));
      }
      for (const line of [
        'PUT /api/v1/orgs/a.b',
        `PUT /api/v1/orgs/${'x'.repeat(64)}`,
        'PUT /api/v1/orgs/%C3%A4',
        'PUT /api/v1/orgs/%00',
        'GET /api/v1/tokens/%00',
        'PUT /api/v1/orgs/acme/projects/a%20b',
        'PUT /api/v1/orgs/acme/members/a%27b',
        'GET /api/v1/orgs?cursor=zzz',
        'GET /api/v1/orgs?limit=0',
        'GET /api/v1/orgs?limit=201',
        'GET /api/v1/tokens?x=1',
      ]) {
        const { status } = await server.call(
          tokens.owner,
          line,
          line.includes('members') ? { role: 'member' } : undefined,
        );
        t.equal(status, 400, line);
      }
      for (const line of ["GET /api/v1/tokens/'", 'DELETE /api/v1/tokens/0', 'GET /api/v1/orgs/acme/members/%C3%A4'])
        t.equal((await server.call(tokens.owner, line)).status, 404, line);
    });

    t.test('a busy token costs no query, and its last use is written once a minute', async (t) => {
      const database = server.use(Database);
      const { sequelize } = database;
      const access = server.use(Access);
      const control = server.use(AccessControl);
      const use = () =>
        control
          .authenticate(`Bearer ${tokens.narrow}`, '')
          .then((who) => control.authorize(who, { kind: 'project', role: 'viewer' }, { org: 'acme', project: 'web' }));
      await use();
      const queries: string[] = [];
      sequelize.addHook('beforeQuery', 'count', ({ type }) => void queries.push(`${type} by a model`));
      const read = database.read.bind(database);
      t.capture(database, 'read', (...args: Parameters<typeof read>) => {
        queries.push(args[0]);
        return read(...args);
      });
      for (let n = 0; n < 1000; n += 1) await use();
      t.same(queries, []);
      server.clock.advance(CACHE_MS + 1);
      await Promise.all(Array.from({ length: 50 }, use));
      // The same moment may write the last use or read the time of the database, which is another matter.
      const readings = queries.filter((sql) => /^select.* from access_/is.test(sql.trim()));
      t.equal(readings.length, 3, 'fifty callers of an outdated entry share one reading', { readings });
      const lastUse = async () => {
        const row = await access.models.tokens.findOne({ where: { name: 'n' }, raw: true });
        return Number((row as unknown as { last_used_at: number }).last_used_at);
      };
      await access.last_use.flush();
      const first = await lastUse();
      t.ok(first > 0);
      server.clock.advance(CACHE_MS + 1);
      await use();
      queries.length = 0;
      await access.last_use.flush();
      t.same(queries, [], 'nothing to write within the minute');
      if (server.use(Database).sql.family === 'sqlite') {
        server.clock.advance(MIN_INTERVAL_MS);
        await use();
        await access.last_use.flush();
        t.ok((await lastUse()) >= first + MIN_INTERVAL_MS);
      }
      sequelize.removeHook('beforeQuery', 'count');
    });

    t.test('another server learns of a revocation within the cache time', async (t) => {
      const other = await boot({ database: server.database, access: 'empty', plugins: ['access'] });
      t.teardown(() => other.close());
      const made = await server.call(tokens.owner, 'POST /api/v1/tokens', { name: 'far' });
      t.equal((await other.call(made.json.token, 'GET /api/v1/whoami')).status, 200);
      await server.call(tokens.owner, `DELETE /api/v1/tokens/${made.json.id}`);
      t.equal((await server.call(made.json.token, 'GET /api/v1/whoami')).status, 401, 'at once here');
      other.clock.advance(CACHE_MS + 1);
      t.equal((await other.call(made.json.token, 'GET /api/v1/whoami')).status, 401);
    });

    t.test('scopes are found by name and by id', async (t) => {
      const scopes = server.use(Scopes);
      const scope = (await scopes.findProject('acme', 'web'))!;
      t.match(scope, { org: 'acme', project: 'web' });
      t.same(await scopes.names(scope.org_id, scope.project_id), { org: 'acme', project: 'web' });
      const rival = (await scopes.findOrg('rival'))!;
      await t.rejects(
        scopes.names(rival.org_id, scope.project_id),
        { code: 'not_found' },
        'a project under another org',
      );
      await t.rejects(scopes.orgName('org_X'), { code: 'not_found' });
      t.equal(await scopes.findProject('acme', 'absent'), undefined);
    });
  });

t.test('bootstrap makes the first owner once', async (t) => {
  const server = await boot({ store: [...STORES].at(-1), access: 'empty', plugins: ['access'] });
  t.teardown(() => server.close());
  const command = server.use.all(AdminCommands).find(({ name }) => name === 'bootstrap')!;
  const args = { org: 'first', project: 'p', user: 'ann' };
  await t.rejects(command.run(server.use, { ...args, org: 'no good' }), { code: 'invalid_request' });
  await t.rejects(command.run(server.use, { org: 'first' }), { code: 'invalid_request' });
  const made = await command.run(server.use, args);
  t.match(made.text, /^svc_pat_/);
  t.equal((await server.call(made.text, 'GET /api/v1/orgs/first')).json.role, 'owner');
  await t.rejects(command.run(server.use, args), { code: 'already_bootstrapped', status: 409 });
  const again = await command.run(server.use, { ...args, user: 'bob', force: true });
  t.equal((await server.call(again.text, 'GET /api/v1/orgs/first')).json.role, 'owner');
  t.equal((await server.call(made.text, 'GET /api/v1/orgs/first/members')).json.members.length, 2);
});

t.test('svc dev finds or makes its owner token and writes the profile', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'svc-home-'));
  const database = await openTestDatabase();
  t.teardown(async () => {
    await rm(home, { recursive: true, force: true });
    await database.drop();
  });
  const read = async () => JSON.parse(await readFile(join(home, 'profile.json'), 'utf8'));
  const once = async (work?: (server: TestServer) => Promise<void>) => {
    const server = await boot({ database, access: 'empty', plugins: ['access'], role: 'dev', settings: { home } });
    try {
      const profile = await read();
      t.equal(profile.url, server.url);
      t.equal((await server.call(profile.token, 'GET /api/v1/orgs/dev/projects/main')).json.role, 'admin');
      await work?.(server);
      return profile;
    } finally {
      await server.close();
    }
  };
  const first = await once();
  t.match(first, { org: 'dev', project: 'main', token: /^svc_pat_/ });
  t.equal((await stat(join(home, 'profile.json'))).mode & 0o777, 0o600);
  const second = await once(async (server) => {
    const { id } = (await server.call(first.token, 'GET /api/v1/whoami')).json.token;
    await server.call(first.token, `DELETE /api/v1/tokens/${id}`);
  });
  t.equal(second.token, first.token, 'a valid token is used again');
  const third = await once();
  t.not(third.token, first.token, 'a revoked one is not');
});
