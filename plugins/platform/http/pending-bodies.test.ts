import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { until } from '../../../test/kit/index.ts';
import { ask, assemble, route, type TestParts } from './testing/test-server.ts';

const KIB = 1024;
const BODY = 256 * KIB;
const MOST = 8 * BODY;

/** Each header names a person; each path an org. */
const control: TestParts['control'] = {
  authenticate: async (name = '') => ({ kind: 'user', id: name, name, token_id: name, org_id: null }),
  authorize: async (_principal, _access, { org = '' }) => ({ org_id: org, org, project_id: '', project: '' }),
};

const ROUTES = [
  route({ path: '/hook', method: 'POST', raw_body: true, body_limit: 2 * BODY }),
  route({
    path: '/kept',
    method: 'POST',
    stream_body: true,
    buffers_body: true,
    async handle({ content }) {
      const kept: Buffer[] = [];
      for await (const chunk of content!) kept.push(chunk);
      return { status: 200, json: { bytes: Buffer.concat(kept).length } };
    },
  }),
  route({
    path: '/orgs/:org/things',
    method: 'POST',
    access: { kind: 'org', role: 'member' },
    raw_body: true,
    body_limit: 2 * BODY,
    handle: async ({ raw }) => ({ status: 200, json: { bytes: raw.length } }),
  }),
];

async function serve(t: Test) {
  const { http } = assemble({ routes: ROUTES, control, limits: { pending_body_bytes: MOST } });
  await http.listen();
  t.teardown(() => http.close(0));
  const url = http.base_url();
  const held = async () =>
    Number(/^svc_http_held_body_bytes (\d+)$/m.exec((await ask(url, '/metrics')).text)?.[1] ?? Number.NaN);
  return { url, held };
}

interface Slow {
  socket: Socket;
  received(): string;
}

/** Sends all of a body but its last byte. */
function slow(t: Test, url: string, path: string, name = ''): Slow {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  const known = name === '' ? '' : `Authorization: ${name}\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${known}Content-Length: ${BODY}\r\n\r\n`);
  socket.write(Buffer.alloc(BODY - 1, 'x'));
  return { socket, received: () => text };
}

for (const path of ['/hook', '/kept'])
  t.test(`${path}: slow bodies of strangers have a bound together, and keep no delivery out`, async (t) => {
    const { url, held } = await serve(t);
    const crowd: Slow[] = [];
    for (let nth = 0; nth < 20; nth += 1) {
      crowd.push(slow(t, url, path));
      // In the order in which they came.
      const all = Math.min(nth + 1, 7) * (BODY - 1);
      await until(async () => (await held()) >= all);
      t.ok((await held()) <= MOST);
    }
    t.match(crowd[0]!.received(), /^HTTP\/1.1 429 .*rate_limited/s, 'the oldest has made room');
    const delivered = await ask(url, path, { method: 'POST', body: Buffer.alloc(BODY, 'y') });
    t.equal(delivered.status, 200, 'one that comes at once');
    const last = crowd.at(-1)!;
    last.socket.write('x');
    await until(() => last.received().startsWith('HTTP/1.1 200'));
    for (const { socket } of crowd) socket.destroy();
    await until(async () => (await held()) === 0);
  });

t.test('the org with most of them makes room', async (t) => {
  const { url, held } = await serve(t);
  const other = slow(t, url, '/orgs/other/things', 'otto');
  await until(async () => (await held()) === BODY - 1);
  const crowd = Array.from({ length: 30 }, (_, nth) => slow(t, url, '/orgs/crowd/things', `p${nth}`));
  await until(() => crowd.filter(({ received }) => received().includes('429')).length >= 23);
  t.equal(other.received(), '');
  other.socket.write('x');
  await until(() => other.received().includes('"bytes"'));
  t.match(other.received(), /^HTTP\/1.1 200/);
});
