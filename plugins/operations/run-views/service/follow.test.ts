import t from 'tap';
import { Errors } from '../../../../kernel/contracts/index.ts';
import type { RunStatus, StoredLog } from '../../../engine/runs/contract.ts';
import { type FollowDeps, followLog, FollowThrottle } from './follow.ts';
import { untilDisconnected } from './read-log.ts';
import { wholeLog } from './whole-log.ts';
import { VirtualClock } from '../../../../test/kit/index.ts';

/** A log that grows while it is followed, and a count of who watches. */
function world(count: number) {
  const state = { status: 'running' as RunStatus, chunks: [] as StoredLog[], watchers: 0, read: 0 };
  const listeners = new Set<(over: boolean) => void>();
  const clock = new VirtualClock();
  const add = (text: string | Buffer) => {
    const data = Buffer.from(text as string);
    const log_id = String(state.chunks.length);
    state.chunks.push({ log_id, activity_id: 'act_1', stream: 'stdout', at: 0, pass: 1, data });
    for (const listen of listeners) listen(false);
  };
  for (let i = 0; i < count; i++) add(`line ${i}\n`);
  const parts: FollowDeps = {
    clock,
    throttle: new FollowThrottle(clock),
    watcher: {
      watch(_run_id, changed) {
        state.watchers += 1;
        listeners.add(changed);
        return () => {
          state.watchers -= 1;
          listeners.delete(changed);
        };
      },
    },
    status: async () => state.status,
    logs: async (_run_id, after, limit) => {
      state.read += 1;
      const from = after === undefined ? 0 : Number(after) + 1;
      return state.chunks.slice(from, from + limit);
    },
  };
  const finish = (status: RunStatus) => {
    state.status = status;
    for (const listen of listeners) listen(true);
  };
  return { state, clock, parts, add, finish };
}

interface Event {
  id?: string;
  event: string;
  data: { text?: string; data?: string; status?: string };
}

/** The bytes of a chunk as text beside them. */
const readable = (data: Event['data']): Event['data'] =>
  data.data === undefined ? data : { ...data, text: Buffer.from(data.data, 'base64').toString() };

const parse = (frame: string): Event | undefined => {
  const lines = frame
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/: (.*)/s, 2) as [string, string]);
  const fields = Object.fromEntries(lines.filter(([name]) => name !== ''));
  return fields.event === undefined
    ? undefined
    : { ...fields, event: fields.event, data: readable(JSON.parse(fields.data!)) };
};

async function collect(stream: AsyncGenerator<string>, until: (events: Event[]) => boolean): Promise<Event[]> {
  const events: Event[] = [];
  for await (const frame of stream) {
    const event = parse(frame);
    if (event) events.push(event);
    if (until(events)) break;
  }
  return events;
}

/** The reader may always read. */
const admitted = async () => undefined;

t.test('every chunk once, then the end; a reader that is cut resumes without loss or repeat', async (t) => {
  const { state, parts, add, finish } = world(100);
  const signal = new AbortController().signal;
  const seen: string[] = [];
  let last: string | undefined;
  for (let round = 0; ; round++) {
    const events = await collect(followLog(parts, 'run_1', last, signal, admitted), (all) => all.length >= 7);
    for (const event of events) if (event.event === 'log') seen.push(event.data.text!);
    last = events.findLast((event) => event.event === 'log')?.id ?? last;
    if (round === 3) for (let i = 100; i < 130; i++) add(`line ${i}\n`);
    if (round === 10) finish('failed');
    const end = events.find((event) => event.event === 'end');
    if (end) {
      t.same(end.data, { status: 'failed' });
      break;
    }
  }
  t.same(
    seen,
    Array.from({ length: 130 }, (_, i) => `line ${i}\n`),
  );
  t.equal(state.watchers, 0, 'nobody watches any more');
});

t.test('what is stored while the end is being told is told before it', async (t) => {
  const { parts, add, finish } = world(0);
  const logs = parts.logs;
  let late = true;
  parts.logs = async (...args) => {
    const chunks = await logs(...args);
    if (late) {
      late = false;
      add('the last words\n');
      finish('succeeded');
    }
    return chunks;
  };
  const events = await collect(
    followLog(parts, 'run_1', undefined, new AbortController().signal, admitted),
    () => false,
  );
  t.same(
    events.map(({ event, data }) => [event, data.text ?? data.status]),
    [
      ['log', 'the last words\n'],
      ['end', 'succeeded'],
    ],
  );
});

t.test('a silent run gives heartbeats, and an abort ends the stream without an end event', async (t) => {
  const { state, clock, parts } = world(0);
  const abort = new AbortController();
  const stream = followLog(parts, 'run_1', undefined, abort.signal, admitted);
  t.equal((await stream.next()).value, ': connected\n\n');
  const beat = stream.next();
  await clock.advance(15_000);
  t.equal((await beat).value, ': still here\n\n');
  const rest = stream.next();
  await clock.advance(1);
  abort.abort();
  t.same(await rest, { value: undefined, done: true });
  t.equal(state.watchers, 0);
  t.equal(clock.armed, 0);
});

t.test('a reader who is let in no more is told nothing more; one whose rate is used up goes on', async (t) => {
  const { state, clock, parts, add } = world(0);
  let refusal: Error | undefined = Errors.rateLimited('too many', { retryAfterMs: 1000 });
  const asking = async () => {
    if (refusal) throw refusal;
  };
  const stream = followLog(parts, 'run_1', undefined, new AbortController().signal, asking);
  t.equal((await stream.next()).value, ': connected\n\n');
  const beat = stream.next();
  await clock.advance(15_000);
  t.equal((await beat).value, ': still here\n\n');
  refusal = Errors.notAuthenticated('the token was revoked');
  const rest = stream.next();
  await clock.advance(6000);
  add('a secret of later\n');
  t.same(await rest, { value: undefined, done: true });
  t.equal(state.watchers, 0);
});

t.test('bytes that are not UTF-8 arrive as they are, followed and as the whole log', async (t) => {
  const { parts, add, finish } = world(70);
  add(Buffer.from([0xff, 0x00, 0x0a]));
  finish('cancelled');
  const events = await collect(followLog(parts, 'run_1', '69', new AbortController().signal, admitted), () => false);
  t.same(
    events.map(({ data }) => data.data),
    ['/wAK', undefined],
  );
  const whole: Buffer[] = [];
  for await (const data of wholeLog(parts, 'run_1')) whole.push(data);
  t.equal(whole.length, 71);
  t.same(whole.at(-1), Buffer.from([0xff, 0x00, 0x0a]));
});

t.test('followers read one after the other, and leave time to those who write', async (t) => {
  const clock = new VirtualClock();
  const throttle = new FollowThrottle(clock);
  const begun: string[] = [];
  const page = (name: string, ms: number) => async () => {
    begun.push(name);
    await clock.advance(ms);
    return name;
  };
  const first = throttle.run(false, page('live', 10));
  const second = throttle.run(true, page('complete', 10));
  const third = throttle.run(true, () => Promise.reject(new Error('it is away')));
  third.catch(() => undefined);
  const last = throttle.run(false, page('next', 10));
  t.equal(await first, 'live');
  await clock.advance(19);
  t.same(begun, ['live'], 'a pause of twice what the page took');
  await clock.advance(1);
  t.equal(await second, 'complete');
  await t.rejects(third, { message: 'it is away' });
  t.equal(await last, 'next', 'no pause after what is complete, nor does a failure hold up the next');
});

t.test('whoever follows many logs holds up no other follower', async (t) => {
  const clock = new VirtualClock();
  const throttle = new FollowThrottle(clock);
  const order: string[] = [];
  const page = (name: string) => async () => void order.push(name);
  const many = Array.from({ length: 50 }, (_, n) => throttle.run(true, page(`many ${n}`), 'many'));
  const one = throttle.run(true, page('one'), 'one');
  await Promise.all([...many, one]);
  t.ok(order.indexOf('one') <= 2, `read after ${order.indexOf('one')} pages`);
});

t.test('a follower gives up its turn when its caller has gone while it waited', async (t) => {
  const { parts, clock } = world(3);
  const throttle = new FollowThrottle(clock);
  const held = Promise.withResolvers<void>();
  const first = throttle.run(true, () => held.promise);
  const gone = new AbortController();
  const log = followLog(
    { ...parts, throttle, logs: untilDisconnected(parts.logs, gone.signal) },
    'run_1',
    undefined,
    gone.signal,
    admitted,
  );
  await log.next();
  const next = log.next();
  gone.abort(new Error('gone'));
  held.resolve();
  await first;
  await t.rejects(next, { message: 'gone' });
});
