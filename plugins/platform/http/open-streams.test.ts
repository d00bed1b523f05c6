import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { until, VirtualClock } from '../../../test/kit/index.ts';
import { readMaxStreams } from './max-streams.ts';
import { ADA, type Answer, ask, assemble, route, type TestParts } from './testing/test-server.ts';

const CHUNK = Buffer.alloc(32 * 1024, 'x');
const MINUTE_MS = 60_000;
const PROJECT = { kind: 'project', role: 'viewer' } as const;
const IN_PROJECT = '/orgs/acme/projects/main';

/** Streams without an end, and how many bytes were read ahead of their readers in all. */
function endless() {
  const made = { opened: 0, ended: 0, bytes: 0 };
  async function* content() {
    made.opened += 1;
    try {
      for (;;) {
        made.bytes += CHUNK.length;
        yield CHUNK;
      }
    } finally {
      made.ended += 1;
    }
  }
  const handle = async () =>
    ({ status: 200, type: 'text/plain', stream: Readable.from(content(), { objectMode: false }) }) as const;
  return { made, handle };
}

async function serve(t: Test, parts: TestParts) {
  const { http } = assemble(parts);
  await http.listen();
  t.teardown(() => http.close(0));
  return http.base_url();
}

function open(t: Test, url: string, path: string, authorization = ADA.authorization): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  // A reset is a close as well.
  socket.on('error', () => undefined);
  socket.pause();
  const known = authorization === '' ? '' : `Authorization: ${authorization}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${known}\r\n`);
  return socket;
}

function isRefused(t: Test, { status, json, headers }: Answer, detail: RegExp): void {
  t.equal(status, 429);
  t.match(json, { code: 'rate_limited', detail });
  t.ok(Number(headers['retry-after']) >= 1);
}

t.test('a caller has so many streams at once, and another answer still', async (t) => {
  const { made, handle } = endless();
  const url = await serve(t, {
    settings: { env: { SVC_MAX_STREAMS: 'caller=2,server=3' } },
    routes: [
      route({ path: '/log', access: { kind: 'user' }, streams: true, handle }),
      route({ path: '/open', streams: true, handle }),
      route({ path: '/none', access: { kind: 'user' }, streams: true, handle: async () => ({ status: 304 }) }),
      route({ path: '/other', access: { kind: 'user' } }),
      route({ path: '/live', access: { kind: 'user' }, handle }),
    ],
  });
  const [first] = [open(t, url, '/log'), open(t, url, '/log')];
  await until(() => made.opened === 2);
  const ada = (path: string) => ask(url, path, { headers: ADA });
  isRefused(t, await ada('/log'), /you have 2 streams open.*read or close.*SVC_MAX_STREAMS/);
  t.equal(made.opened, 2, 'nothing was read for it');
  t.equal((await ada('/other')).status, 200, 'what is no stream is answered');
  open(t, url, '/live');
  await until(() => made.opened === 3);
  t.pass('nor does one count that has a place of its own');
  open(t, url, '/open', '');
  await until(() => made.opened === 4);
  isRefused(t, await ask(url, '/open'), /this server has 3 streams open/);
  first!.destroy();
  await until(() => made.ended === 1);
  t.equal((await ada('/none')).status, 304, 'the place of one that was closed is free');
  t.equal((await ada('/none')).status, 304, 'and an answer without a stream gives it back');
  t.match((await ask(url, '/metrics')).text, /^svc_http_streams 3$/m);
});

t.test('an org has so many streams at once, whoever of its members opens them, and others have theirs', async (t) => {
  const { made, handle } = endless();
  const people = (name: string) => ({ authorization: `Bearer ${name}` });
  const url = await serve(t, {
    settings: { env: { SVC_MAX_STREAMS: 'caller=2,org=4,server=8' } },
    control: {
      authenticate: async (header = '') => ({ kind: 'user', id: header, name: header, token_id: header, org_id: null }),
      authorize: async (_principal, _access, { org = '' }) => ({
        org_id: `org_${org}`,
        org,
        project_id: '',
        project: '',
      }),
    },
    routes: [route({ path: '/orgs/:org/log', access: { kind: 'org', role: 'member' }, streams: true, handle })],
  });
  for (const name of ['a', 'a', 'b', 'b']) open(t, url, '/orgs/acme/log', people(name).authorization);
  await until(() => made.opened === 4);
  isRefused(t, await ask(url, '/orgs/acme/log', { headers: people('c') }), /the org has 4 streams open/);
  open(t, url, '/orgs/other/log', people('c').authorization);
  await until(() => made.opened === 5);
  t.pass('a stream about another org');
});

t.test('a stream that nobody reads is ended; one that is read slowly, or has nothing to say, goes on', async (t) => {
  const clock = new VirtualClock();
  const unread = endless();
  const slow = endless();
  const quiet = new Readable({ read: () => undefined });
  quiet.push('hello');
  const project = (name: string) => ({ path: `/orgs/:org/projects/:project/${name}`, access: PROJECT, streams: true });
  const url = await serve(t, {
    clock,
    routes: [
      route({ ...project('unread'), handle: unread.handle }),
      route({ ...project('slow'), handle: slow.handle }),
      route({ ...project('quiet'), handle: async () => ({ status: 200, type: 'text/plain', stream: quiet }) }),
    ],
  });
  const reader = open(t, url, `${IN_PROJECT}/slow`);
  const silent = open(t, url, `${IN_PROJECT}/quiet`);
  open(t, url, `${IN_PROJECT}/unread`);
  await until(() => unread.made.opened + slow.made.opened === 2);
  const ended = async () => {
    const { text } = await ask(url, '/metrics');
    return Number(/closed_total\{reason="answer"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  /** Reads so much that the server sends something more: what lies in the buffers of the system does not show. */
  const readOn = async () => {
    const before = slow.made.bytes;
    reader.resume();
    await until(() => slow.made.bytes > before + CHUNK.length * 8);
    reader.pause();
  };
  for (let minutes = 0; minutes < 20; minutes += 4) {
    await readOn();
    await clock.advance(4 * MINUTE_MS);
  }
  await until(() => unread.made.ended === 1);
  t.equal(await ended(), 1, 'the unread one');
  t.equal(slow.made.ended, 0, 'pauses of four minutes');
  await clock.advance(7 * MINUTE_MS);
  await until(() => slow.made.ended === 1);
  t.equal(await ended(), 2, 'whoever stops reading');
  quiet.push(null);
  const said = await new Promise((resolve) => {
    let text = '';
    silent.on('data', (data) => {
      text += String(data);
      if (text.endsWith('0\r\n\r\n')) resolve(text);
    });
    silent.resume();
  });
  t.match(said, /hello/, 'the end of the one that had nothing to say');
});

t.test('Node says nothing of a leak, however many plugins look at the end of a stream', async (t) => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  t.teardown(() => process.off('warning', note));
  const handle = async () => ({ status: 200, type: 'text/plain', stream: Readable.from(['abc']) }) as const;
  const url = await serve(t, { routes: [route({ path: IN_PROJECT, access: PROJECT, streams: true, handle })] });
  const { text } = await ask(url, IN_PROJECT, { headers: { authorization: ADA.authorization } });
  t.equal(text, 'abc');
  t.same(
    warnings.filter(({ name }) => name === 'MaxListenersExceededWarning'),
    [],
  );
});

t.test('how many streams there may be is a setting', async (t) => {
  t.same(readMaxStreams(undefined), { caller: 256, org: 1000, server: 2000 });
  t.same(readMaxStreams(''), { caller: 256, org: 1000, server: 2000 });
  t.same(readMaxStreams('caller=10'), { caller: 10, org: 1000, server: 2000 });
  t.same(readMaxStreams('server=5000, caller=1000,org=3'), { caller: 1000, org: 3, server: 5000 });
  for (const text of [
    '10',
    'caller=0',
    'caller=-1',
    'caller=off',
    'caller=1,caller=2',
    'caller=1,',
    'project=3',
    'server=12345678',
  ])
    t.throws(() => readMaxStreams(text), { code: 'setting_invalid', message: /caller=256,org=1000,server=2000/ }, text);
});
