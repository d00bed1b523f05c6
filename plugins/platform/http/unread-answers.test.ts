import { connect } from 'node:net';
import t from 'tap';
import { until } from '../../../test/kit/index.ts';
import { ADA, ask, assemble, route } from './testing/test-server.ts';

const LARGE = 32 * 1024 * 1024;

t.test('who asks for large answers and reads none is refused until they are read', async (t) => {
  let answered = 0;
  const routes = [
    route({
      path: '/large',
      access: { kind: 'user' },
      handle: async () => {
        answered += 1;
        return { status: 200, type: 'text/plain', text: 'x'.repeat(LARGE) };
      },
    }),
    route({ path: '/small', access: { kind: 'user' } }),
  ];
  const { http } = assemble({ routes, limits: { unread_bytes: LARGE + 1024 } });
  await http.listen();
  t.teardown(() => http.close(1000));
  const url = new URL(http.base_url());
  const small = () => ask(http.base_url(), '/small', { headers: ADA });
  const sockets = [0, 1].map(() => {
    const socket = connect(Number(url.port), url.hostname);
    socket.pause();
    socket.write(`GET /large HTTP/1.1\r\nHost: a\r\nAuthorization: ${ADA.authorization}\r\n\r\n`);
    return socket;
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until(async () => answered === 2);
  const refused = await small();
  t.equal(refused.status, 429, 'no socket has room for 32 MiB');
  t.match(refused.json, { code: 'rate_limited', detail: /have not been read/ });
  t.ok(Number(refused.headers['retry-after']) >= 1);
  sockets[0]!.destroy();
  await until(async () => (await small()).status === 200);
  t.pass('an answer that nobody waits for does not count');
});

t.test('an org has a bound too, whoever of its members asks', async (t) => {
  const routes = [
    route({
      path: '/orgs/:org/large',
      access: { kind: 'org', role: 'member' },
      handle: async () => ({ status: 200, type: 'text/plain', text: 'x'.repeat(LARGE) }),
    }),
    route({ path: '/orgs/:org/small', access: { kind: 'org', role: 'member' } }),
    route({ path: '/open' }),
  ];
  const { http } = assemble({
    routes,
    limits: { unread_org_bytes: LARGE + 1024 },
    control: {
      authenticate: async (name = '') => ({ kind: 'user', id: name, name, token_id: name, org_id: null }),
      authorize: async (_principal, _access, { org = '' }) => ({ org_id: org, org, project_id: '', project: '' }),
    },
  });
  await http.listen();
  t.teardown(() => http.close(0));
  const url = new URL(http.base_url());
  for (const name of ['a', 'b']) {
    const socket = connect(Number(url.port), url.hostname);
    t.teardown(() => socket.destroy());
    socket.pause();
    socket.write(`GET /orgs/acme/large HTTP/1.1\r\nHost: a\r\nAuthorization: ${name}\r\n\r\n`);
  }
  const small = (org: string) => ask(http.base_url(), `/orgs/${org}/small`, { headers: { authorization: 'c' } });
  await until(async () => (await small('acme')).status === 429);
  t.match((await small('acme')).json, { code: 'rate_limited', detail: /the limit for an org/ });
  t.equal((await small('other')).status, 200);
  t.equal((await ask(http.base_url(), '/open')).status, 200);
});
