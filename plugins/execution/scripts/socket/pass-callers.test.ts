import { EventEmitter } from 'node:events';
import t from 'tap';
import { Activity, RecordingLog } from '../../../../test/kit/index.ts';
import type { CallerStream } from '../contract.ts';
import { replay, verbs } from '../executor/testing/plugins.ts';
import { createPassCallers } from './pass-callers.ts';
import type { Message } from './testing/client.ts';
import { begin, end, key, TestClock } from './testing/steps.ts';

/** A part of the connection to a program, which notes the replies to it. */
class NotingStream extends EventEmitter implements CallerStream {
  readonly replies: Message[] = [];
  readonly writableLength = 0;
  destroyed = false;
  #arrived = Promise.withResolvers<void>();

  write(data: Buffer, sent?: () => void): boolean {
    this.replies.push(JSON.parse(data.toString()) as Message);
    sent?.();
    this.#arrived.resolve();
    return true;
  }

  /** Sends these requests and resolves with the replies once there is one. */
  async ask(...requests: Message[]): Promise<Message[]> {
    this.replies.length = 0;
    this.#arrived = Promise.withResolvers();
    this.emit('data', Buffer.from(requests.map((request) => `${JSON.stringify(request)}\n`).join('')));
    await this.#arrived.promise;
    return this.replies;
  }

  pause = () => this;
  resume = () => this;
  destroySoon = () => this.destroy();

  destroy(): this {
    this.destroyed = true;
    this.emit('close');
    return this;
  }
}

/** A pass of an activity, whose program is its only caller. */
async function serving(activity = new Activity()) {
  const clock = new TestClock();
  const callers = createPassCallers({
    verbs: () => verbs,
    clients: { folder: async () => '/clients' } as never,
    env: {},
    grace_ms: 0,
    clock,
    log: new RecordingLog(),
  });
  await callers.open({ runtime_dir: '' } as never);
  const assignment = { run_id: 'run_1', activity_id: 'act_1', journal: activity.journal, envelope: {} } as never;
  const journal = replay.open({
    ...{ assignment, clock, host: activity, source: () => '', flushLog: async () => undefined },
    ...{ endPass: () => undefined, onServiceError: () => undefined },
  });
  const stream = new NotingStream();
  const caller = callers.serve({ assignment, host: activity as never, journal, stream });
  return { activity, caller, stream };
}

t.test('the first step of a pass costs one reply: that its record is durable', async (t) => {
  const { activity, caller, stream } = await serving();
  t.match(caller.greeting, { protocol: 4, ahead: { run: 'run_1', activity: 'act_1' }, lease_ms: 10 });
  t.same(stream.replies, [], 'the greeting is for the start of the program');
  const replies = await stream.ask(begin(1, 'a', { key: key('a', 0) }), end(2));
  t.match(replies, [{ id: 2, record: { name: 'a', position: 0 }, replayed: false, ahead: { ms: 10 } }]);
  t.same(activity.sites(), ['step a#0=0']);
  caller.close();
});

t.test('a pass with records lends nothing until they are read', async (t) => {
  const { activity, caller, stream } = await serving();
  await stream.ask(begin(1, 'a', { key: key('a', 0) }), end(2));
  caller.close();
  const again = await serving(activity);
  t.equal(again.caller.greeting.lease_ms, 0);
  t.match(await again.stream.ask(begin(1, 'a')), [{ id: 1, record: { name: 'a' }, replayed: true, ahead: { ms: 10 } }]);
  again.caller.close();
});

t.test('the records of earlier passes are lent, and the program says how many steps it has repeated', async (t) => {
  const { activity, caller, stream } = await serving();
  t.equal(caller.greeting.recorded, 0);
  for (const [nth, name] of ['a', 'b', 'c'].entries())
    await stream.ask(begin(2 * nth + 1, name, { key: key(name, 0) }), end(2 * nth + 2));
  caller.close();
  const again = await serving(activity);
  t.equal(again.caller.greeting.recorded, 3);
  const [page] = await again.stream.ask({ id: 1, op: 'journal', from: 1 });
  t.match(page, { id: 1, records: [{ kind: 'step', name: 'b', ordinal: 0 }, { name: 'c' }] });
  t.match(
    await again.stream.ask({ ...begin(2, 'c'), repeated: 2 }),
    [{ id: 2, record: { name: 'c', position: 2 }, replayed: true, next: 3, ahead: { ms: 10 } }],
    'one message for three steps, after which the next places are lent',
  );
  t.match(await again.stream.ask(begin(3, 'd', { key: key('d', 0) }), end(4)), [{ id: 4, record: { position: 3 } }]);
  t.match(
    await again.stream.ask({ ...begin(5, 'e'), repeated: 1 }),
    [{ id: 5, error: { code: 'socket_request_invalid' } }],
    'only what is recorded can be repeated',
  );
  again.caller.close();
});

t.test('a program of another version may still say hello', async (t) => {
  const { caller, stream } = await serving();
  t.match(await stream.ask({ id: 0, op: 'hello', protocol: 2 }), [{ id: 0, ok: true, protocol: 2 }]);
  t.match(await stream.ask(begin(1, 'a')), [{ id: 1, run: true }]);
  t.match(await stream.ask(end(2)), [{ id: 2, record: { name: 'a' } }]);
  caller.close();
});
