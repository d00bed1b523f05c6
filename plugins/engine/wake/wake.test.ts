import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import t from 'tap';
import type { Log } from '../../../kernel/contracts/index.ts';
import type { WakeMessage } from '../runs/contract.ts';
import { decode, encode, MAX_BYTES, MAX_MESSAGES } from './domain/messages.ts';
import { readWakeUrl } from './domain/wake-url.ts';
import { NatsLink } from './service/nats-link.ts';
import { Outbox } from './service/outbox.ts';
import { systemClock, VirtualClock } from '../../../test/kit/index.ts';

const claim = { activity_id: 'act_1', epoch: 3, agent_id: 'agt_1', reason: 'cancelled' };
const EACH: WakeMessage[] = [
  { wake: 'work' },
  { wake: 'timer', deadline: 1_790_000_000_000 },
  { wake: 'run', run_id: 'run_1' },
  { wake: 'run', run_id: 'run_1', over: true },
  { wake: 'run', run_id: 'run_1', project_id: 'prj_1', part: 'steps' },
  { wake: 'revoked', claim },
  { wake: 'revoked', claim: { ...claim, agent_id: null } },
  { wake: 'paused', claim: { activity_id: 'act_1', epoch: 3, agent_id: 'agt_1' } },
  { wake: 'topic', topic: 'bus.fired' },
];
const bytes = (text: string) => Buffer.from(text);

t.test('every wake-up comes out as it went in', async (t) => {
  t.same(decode(bytes(encode(EACH))), { messages: EACH });
});

t.test('what is no message of ours is refused whole, with why', async (t) => {
  const wake = (...list: unknown[]) => JSON.stringify({ v: 1, wake: list });
  const bad: [text: string, why: string][] = [
    ['', 'it is not JSON'],
    ['hello', 'it is not JSON'],
    ['null', 'not of version 1'],
    ['[]', 'not of version 1'],
    [JSON.stringify({ v: 2, wake: [] }), 'not of version 1'],
    [JSON.stringify({ v: 1 }), 'no list'],
    [JSON.stringify({ v: 1, wake: 'work' }), 'no list'],
    [wake(...Array.from({ length: MAX_MESSAGES + 1 }, () => ({ wake: 'work' }))), 'no list'],
    [wake({ wake: 'work' }, null), 'one of its wake-ups is not valid'],
    [wake({ wake: 'sleep' }), 'one of its wake-ups is not valid'],
    [wake({ wake: 'timer', deadline: '1' }), 'one of its wake-ups is not valid'],
    [wake({ wake: 'run', run_id: '' }), 'one of its wake-ups is not valid'],
    [wake({ wake: 'run', run_id: 'x'.repeat(256) }), 'one of its wake-ups is not valid'],
    [wake({ wake: 'topic' }), 'one of its wake-ups is not valid'],
    [wake({ wake: 'revoked', claim: { ...claim, epoch: null } }), 'one of its wake-ups is not valid'],
    [wake({ wake: 'work', pad: 'x'.repeat(MAX_BYTES) }), 'more than'],
  ];
  for (const [text, why] of bad) t.match(decode(bytes(text)), { error: new RegExp(why) }, text.slice(0, 60));
  t.match(decode(Buffer.from([0xff, 0xfe])), { error: 'it is not JSON' });
  const extra = { wake: 'run', run_id: 'run_1', over: 'yes', part: 'all', project_id: 7, __proto__: null, secret: 'x' };
  t.same(decode(bytes(wake(extra))), { messages: [{ wake: 'run', run_id: 'run_1' }] }, 'nothing unknown goes on');
});

t.test('the address is read whole, and a bad one is told without what it holds', async (t) => {
  t.equal(readWakeUrl(undefined), undefined);
  t.equal(readWakeUrl('  '), undefined);
  t.same(readWakeUrl('nats://broker'), { servers: ['broker:4222'], tls: false });
  t.same(readWakeUrl('tls://[::1]:4333/'), { servers: ['[::1]:4333'], tls: true });
  t.same(readWakeUrl('nats://ann:p%40ss@a:1,nats://b'), {
    servers: ['a:1', 'b:4222'],
    tls: false,
    user: 'ann',
    pass: 'p@ss',
  });
  t.same(readWakeUrl('nats://s3cret@a'), { servers: ['a:4222'], tls: false, token: 's3cret' });
  const bad = [
    'broker:4222',
    'http://ann:hunter2@a',
    'nats://',
    'nats://ann:hunter2@',
    'nats://ann:hunter2@a/path',
    'nats://ann:hunter2@a?x=hunter2',
    'nats://ann:hunter2@a#hunter2',
    'nats://ann:hunter2@a:99999',
    'nats://ann:hunter%@a',
    'nats://ann:hunter2@a,nats://bob:hunter2@b',
    'nats://ann:hunter2@a,',
  ];
  for (const url of bad)
    t.throws(() => readWakeUrl(url), { code: 'wake_setting_invalid', message: /^SVC_WAKE_URL (?!.*hunter)/ }, url);
});

t.test('however often a thing is said, it is sent once in a few milliseconds', async (t) => {
  const clock = new VirtualClock();
  const sent: { at: number; messages: readonly WakeMessage[] }[] = [];
  const outbox = new Outbox(clock, (messages) => void sent.push({ at: clock.now(), messages }));
  const start = clock.now();
  outbox.add({ wake: 'work' });
  await clock.advance(0);
  t.same(sent, [{ at: start, messages: [{ wake: 'work' }] }], 'the first goes at once');
  for (let i = 0; i < 100; i++) {
    outbox.add({ wake: 'work' });
    outbox.add({ wake: 'run', run_id: `run_${i % 2}` });
    outbox.add({ wake: 'timer', deadline: 1000 + ((i * 7) % 100) });
    outbox.add({ wake: 'run', run_id: 'run_1', over: i < 50 });
    outbox.add({ wake: 'revoked', claim });
    for (const activity_id of ['act_1', 'act_2'])
      outbox.add({ wake: 'paused', claim: { activity_id, epoch: 3, agent_id: 'agt_1' } });
    outbox.add({ wake: 'topic', topic: 'bus.fired' });
  }
  await clock.advance(2);
  t.equal(sent.length, 1);
  await clock.advance(1);
  t.equal(sent.length, 2);
  t.equal(sent[1]!.messages.length, 8);
  t.ok(
    sent[1]!.messages.some((one) => one.wake === 'timer' && one.deadline === 1000),
    'the nearest deadline',
  );
  t.match(
    sent[1]!.messages.find((one) => one.wake === 'run' && one.run_id === 'run_1'),
    { over: true },
    'an end is not forgotten for what is said after it',
  );
  for (let i = 0; i < MAX_MESSAGES + 50; i++) outbox.add({ wake: 'run', run_id: `run_${i}` });
  await clock.advance(10);
  t.equal(sent[2]!.messages.length, MAX_MESSAGES);
  outbox.add({ wake: 'work' });
  outbox.close();
  outbox.add({ wake: 'work' });
  await clock.advance(10);
  t.equal(sent.length, 3);
  t.equal(clock.armed, 0);
});

/** A log that keeps what it is given, whole. */
function keptLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const write = (fields: Record<string, unknown>, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: write, info: write, warn: write, error: write, child: () => log };
  return { log, lines };
}

t.test(
  'a peer that is absent, silent or no NATS is told of once, is tried again, and stops with the link',
  async (t) => {
    const sockets = new Set<Socket>();
    const greetings = [
      '',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'INFO {"auth_required":true}\r\n-ERR \'Authorization Violation\'\r\n',
    ];
    let calls = 0;
    const peer = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      const greeting = greetings[calls++ % greetings.length]!;
      if (greeting === '') socket.destroy();
      else socket.write(greeting);
    }).listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const { port } = peer.address() as { port: number };
    const { log, lines } = keptLog();
    const address = { servers: [`127.0.0.1:${port}`], tls: false, user: 'ann', pass: 'hunter2' };
    const link = new NatsLink({ address, subject: 'x', clock: systemClock, log, onMessage: () => undefined });
    const stop = link.start();
    for (const end = Date.now() + 60_000; calls < 4; await new Promise((resolve) => setTimeout(resolve, 20)))
      if (Date.now() > end) throw new Error(`it came ${calls} times`);
    t.equal(link.connected, false);
    t.equal(link.publish('x'), false);
    await stop();
    t.equal(lines.length, 1, lines.join('\n'));
    t.notMatch(lines.join(), /hunter2/);
    for (const socket of sockets) socket.destroy();
    peer.close();
  },
);
