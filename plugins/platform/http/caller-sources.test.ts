import t from 'tap';
import { Errors, type Principal } from '../../../kernel/contracts/index.ts';
import type { CallerSource } from './contract.ts';
import { ADA, ask, assemble, route } from './testing/test-server.ts';

const BEN: Principal = { kind: 'user', id: 'usr_ben', name: 'ben', token_id: 'tok_ben', org_id: null };

/** Knows ben by a header of its own, and notes who asks. */
function sourceOf(asked: string[]): CallerSource {
  return {
    name: 'test',
    async callerOf({ path, method, headers, ip, request_id }) {
      asked.push(`${method} ${path} ${ip === '127.0.0.1' && request_id !== ''}`);
      if (headers['x-who'] === 'nobody') throw Errors.notAuthenticated('you are nobody');
      const headers_ms = headers['x-late'] === undefined ? 60_000 : -1;
      return headers['x-who'] === 'ben' ? { principal: BEN, headers: { 'x-next': 'more' }, headers_ms } : undefined;
    },
  };
}

t.test('people who are known by something else than a token', async (t) => {
  const asked: string[] = [];
  const who = async ({ principal }: { principal?: Principal | undefined }) => ({
    status: 200,
    json: { who: principal?.name ?? null },
    headers: { 'x-own': 'yes' },
  });
  const { http } = assemble({
    sources: [sourceOf(asked)],
    routes: [
      route({ path: '/user', access: { kind: 'user' }, handle: who }),
      route({ path: '/orgs/:org', access: { kind: 'org', role: 'member' }, handle: who }),
      route({ path: '/agent', access: { kind: 'agent' }, handle: who }),
      route({ path: '/public', handle: who }),
      route({
        path: '/long',
        access: { kind: 'org', role: 'member' },
        async handle(request) {
          const before = asked.length;
          await request.admitted();
          return { status: 200, json: { again: asked.length - before } };
        },
      }),
      route({
        path: '/next',
        access: { kind: 'user' },
        handle: async () => ({ status: 200, json: {}, headers: { 'x-next': 'own' } }),
      }),
    ],
  });
  await http.listen();
  t.teardown(() => http.close(100));
  const url = http.base_url();
  const as = (name: string, more = {}) => ({ headers: { 'x-who': name, ...more } });

  t.match(await ask(url, '/user', as('ben')), { status: 200, json: { who: 'ben' }, headers: { 'x-next': 'more' } });
  t.match(await ask(url, '/orgs/acme', as('ben')), { status: 200, json: { who: 'ben' } });
  const refused = await ask(url, '/orgs/other', as('ben'));
  t.match(refused, { status: 404, headers: { 'x-next': 'more' } }, 'a refusal brings its headers too');
  const late = await ask(url, '/user', { headers: { 'x-who': 'ben', 'x-late': 'yes' } });
  t.match(late, { status: 200 });
  t.notOk('x-next' in late.headers, 'an answer that begins too late goes without them');
  asked.pop();
  t.match(await ask(url, '/long', as('ben')), { json: { again: 0 } }, 'a cookie of then is not shown again');
  asked.pop();
  t.match(await ask(url, '/next', as('ben')), { headers: { 'x-next': 'own' } }, 'those of the route win');
  t.match(await ask(url, '/user', as('nobody')), { status: 401, json: { detail: 'you are nobody' } });
  t.equal((await ask(url, '/user', as('somebody'))).status, 401);
  t.same(asked.splice(0), [
    ...['GET /user true', 'GET /orgs/acme true', 'GET /orgs/other true', 'GET /next true'],
    ...['GET /user true', 'GET /user true'],
  ]);

  t.match(await ask(url, '/user', as('ben', ADA)), { json: { who: 'ada' } }, 'the header wins');
  t.equal((await ask(url, '/user', as('ben', { authorization: '' }))).status, 401, 'an empty one too');
  t.equal((await ask(url, '/agent', as('ben'))).status, 401, 'agents have tokens');
  t.match(await ask(url, '/public', as('ben')), { json: { who: null } });
  t.same(asked, [], 'nobody asks it there');
});
