import t from 'tap';
import { Errors, type HttpRequest, VIEWER } from '../../../../kernel/contracts/index.ts';
import type { LiveFeed, LiveTopic } from '../contract.ts';
import { LiveHub } from './hub.ts';
import { LINGER_MS } from './feed.ts';
import { MAX_STREAMS_PER_USER, MAX_STREAMS_PER_ORG, StreamCounter } from './stream-counter.ts';
import { parseTopics } from './topics.ts';
import { messageLog, SCOPE, VirtualClock } from '../../../../test/kit/index.ts';

/** A hub with the topics `news` and `deals:`, whose readers a test speaks for. */
function world() {
  const clock = new VirtualClock();
  const { log, lines } = messageLog();
  const state = {
    opened: [] as string[],
    closed: [] as string[],
    feeds: new Map<string, LiveFeed>(),
    fail: false,
    outsiders: false,
  };
  const topicOf = (name: string): LiveTopic => ({
    name,
    description: name,
    access: VIEWER,
    async open(_scope, argument, feed) {
      if (state.fail) throw Errors.unavailable('the database is away');
      const key = `${name}${argument}`;
      state.opened.push(key);
      state.feeds.set(key, feed);
      return async () => void state.closed.push(key);
    },
  });
  const topics = [topicOf('news'), topicOf('deals:')];
  let bytes = 0;
  const hub = new LiveHub({
    clock,
    log,
    ids: { next: (prefix) => `${prefix}_1`, bytes: (count) => Buffer.alloc(count, (bytes += 1)) },
    control: {
      authenticate: async () => Promise.reject(new Error('unused')),
      authorize: async () => {
        if (state.outsiders) throw Errors.notFound('you are no member');
        return SCOPE;
      },
    },
  });
  const open = async (asked: string, who: Partial<Asking> = {}) => {
    const stop = new AbortController();
    const admitted = async () => {
      if (who.revoked?.()) throw Errors.notAuthenticated('the token was revoked');
      if (who.busy) throw Errors.rateLimited('too many', { retryAfterMs: 1000 });
    };
    const principal = { kind: 'user' as const, id: who.user ?? 'usr_1', name: 'ana', token_id: 'tok_1', org_id: null };
    const request = { principal, scope: SCOPE, params: {}, signal: stop.signal, admitted } as unknown as HttpRequest;
    const { stream } = await hub.open(request, parseTopics(asked, topics), who.last_id);
    let text = '';
    if (!who.deaf) stream.on('data', (data: Buffer) => void (text += data.toString()));
    return { stream, stop, text: () => text };
  };
  const say = (key: string, ...texts: string[]) =>
    state.feeds.get(key)!.send(texts.map((data) => ({ event: 'news', data })));
  return { clock, lines, state, hub, open, say };
}

interface Asking {
  user: string;
  last_id: string | undefined;
  deaf: boolean;
  revoked(): boolean;
  /** Its rate is used up. */
  busy: boolean;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const dataOf = (text: string) => [...text.matchAll(/event: news\ndata: "(.*)"/g)].map(([, data]) => data);

t.test('thousands look and one reads; who is late is told only what is new', async (t) => {
  const { state, hub, open, say } = world();
  const viewers = [];
  for (let n = 0; n < 2000; n++) viewers.push(await open('news', { user: `usr_${n % 40}` }));
  t.same([state.opened, hub.size, hub.feeds], [['news'], 2000, 1]);
  say('news', 'a', 'b');
  const late = await open('news', { user: 'usr_late' });
  say('news', 'c');
  await settled();
  t.ok(viewers.every(({ text }) => dataOf(text()).join('') === 'abc'));
  t.same(dataOf(late.text()), ['c']);
  await hub.stop();
  t.same(state.closed, ['news']);
});

t.test('each is told of the topics that it asked for, in their order', async (t) => {
  const { open, say, hub } = world();
  const [one, both] = [await open('deals:1'), await open('news,deals:1,deals:1')];
  say('news', 'a');
  say('deals:1', 'b');
  say('news', 'c');
  await settled();
  t.same([dataOf(one.text()), dataOf(both.text())], [['b'], ['a', 'b', 'c']]);
  await hub.stop();
});

t.test('who does not read costs a few kilobytes, is told `reset` and cut; others are not held up', async (t) => {
  const { clock, hub, open, say } = world();
  const [deaf, fine] = [await open('news', { deaf: true }), await open('news')];
  const text = 'x'.repeat(1000);
  for (let n = 0; n < 4000; n++) {
    say('news', text);
    if (n % 100 === 0) await settled();
  }
  await settled();
  t.equal(dataOf(fine.text()).length, 4000);
  t.ok(deaf.stream.readableLength < 200_000, `${deaf.stream.readableLength} bytes wait`);
  const closed = new Promise((resolve) => deaf.stream.once('close', resolve));
  await clock.advance(15_000);
  await closed;
  t.equal(hub.size, 1);
  const slow = await open('news', { deaf: true });
  for (let n = 0; n < 4000; n++) say('news', text);
  let said = '';
  slow.stream.on('data', (data: Buffer) => void (said += data.toString()));
  await new Promise((resolve) => slow.stream.once('end', resolve));
  t.match(said, /event: reset\ndata: \{"reason":"too_slow"\}\n\n$/, 'one who reads again is told so');
  await hub.stop();
});

t.test('a reader goes on for a moment, and a page that was loaded again goes on too', async (t) => {
  const { clock, state, hub, open, say } = world();
  const first = await open('news');
  say('news', 'a');
  await settled();
  const last_id = /id: (.*)\n\n$/.exec(first.text())![1];
  first.stream.destroy();
  await settled();
  say('news', 'b');
  await clock.advance(LINGER_MS - 1);
  const again = await open('news', { last_id });
  await settled();
  t.match(again.text(), /event: ready\ndata: \{"resumed":true\}/);
  t.same([dataOf(again.text()), state.opened], [['b'], ['news']]);
  again.stream.destroy();
  await settled();
  await clock.advance(LINGER_MS);
  t.same([state.closed, hub.feeds, clock.armed], [['news'], 0, 0], 'nobody looks, and nothing is left');
  const late = await open('news', { last_id });
  await settled();
  t.match(late.text(), /event: reset\ndata: \{"reason":"unknown_id"\}/, 'nobody read meanwhile');
  await hub.stop();
});

t.test('a reader that was closed and opened anew does not pretend to have seen what was between', async (t) => {
  const { clock, hub, open } = world();
  const other = await open('deals:1');
  const first = await open('news');
  await settled();
  const last_id = /id: (.*)\n\n$/.exec(first.text())![1];
  first.stream.destroy();
  await settled();
  await clock.advance(LINGER_MS + 1);
  const again = await open('news', { last_id });
  await settled();
  t.match(again.text(), /event: reset/, 'though no message has come since');
  t.notMatch(other.text(), /reset/);
  await hub.stop();
});

t.test('changes that a reader has lost are said to be lost, and the stream goes on', async (t) => {
  const { state, hub, open, say } = world();
  const { text } = await open('news');
  state.feeds.get('news')!.reset();
  say('news', 'a');
  await settled();
  t.match(text(), /event: reset\ndata: \{"reason":"lost"\}\nid: .*\n\nevent: news/);
  await hub.stop();
});

t.test('a silent stream is kept open, and its position moves on', async (t) => {
  const { clock, hub, open, say } = world();
  const { text } = await open('news');
  await open('deals:1');
  await clock.advance(40_000);
  const beats = text().match(/: still here\nid: .*\n\n/g) ?? [];
  t.ok(beats.length >= 2, `${beats.length} in 40 s`);
  say('deals:1', 'a');
  await clock.advance(15_000);
  const ids = [...text().matchAll(/id: .*\.(\d+)\n/g)].map(([, id]) => Number(id));
  t.ok(ids.at(-1)! > ids[0]!, 'what others are told does not make it old');
  t.same(dataOf(text()), []);
  await hub.stop();
});

t.test('who may not look any more is told so within ten seconds', async (t) => {
  const { clock, hub, open } = world();
  let revoked = false;
  const [one, other] = [await open('news', { revoked: () => revoked }), await open('news')];
  await clock.advance(20_000);
  t.equal(hub.size, 2);
  revoked = true;
  const ended = new Promise((resolve) => one.stream.once('end', resolve));
  await clock.advance(10_000);
  await ended;
  t.match(one.text(), /event: end\ndata: \{"code":"not_authenticated"\}\n\n$/);
  t.notMatch(other.text(), /event: end/);
  await hub.stop();
});

t.test('nor does it help to have used up the rate by which one would be asked', async (t) => {
  const { clock, state, hub, open } = world();
  const { stream, text } = await open('news', { busy: true });
  await clock.advance(20_000);
  t.equal(hub.size, 1);
  state.outsiders = true;
  const ended = new Promise((resolve) => stream.once('end', resolve));
  await clock.advance(10_000);
  await ended;
  t.match(text(), /event: end\ndata: \{"code":"not_found"\}\n\n$/);
  await hub.stop();
});

t.test('a user has so many streams and no more, and gets a place back', async (t) => {
  const { hub, open } = world();
  const mine = [];
  for (let n = 0; n < MAX_STREAMS_PER_USER; n++) mine.push(await open('news'));
  await t.rejects(open('news'), { code: 'rate_limited', message: /100 live streams/ });
  t.ok(await open('news', { user: 'usr_2' }));
  mine[0]!.stream.destroy();
  await settled();
  t.ok(await open('news'));
  await t.rejects(open('news'), { code: 'rate_limited' });
  await hub.stop();
});

t.test('an org has so many streams and no more, and no other one less', async (t) => {
  const counter = new StreamCounter();
  const ends = Array.from({ length: MAX_STREAMS_PER_ORG }, (_, n) => counter.reserve(`usr_${n}`, 'org_1'));
  t.throws(() => counter.reserve('usr_new', 'org_1'), {
    code: 'rate_limited',
    message: /the org has 5000 live streams/,
  });
  const other = counter.reserve('usr_new', 'org_2');
  ends[0]!();
  ends[0]!();
  counter.reserve('usr_new', 'org_1');
  t.throws(() => counter.reserve('usr_newer', 'org_1'), { code: 'rate_limited' });
  other();
});

t.test('a topic that cannot be read refuses, holds no place, and is tried anew', async (t) => {
  const { state, hub, open } = world();
  state.fail = true;
  for (let n = 0; n < MAX_STREAMS_PER_USER + 5; n++) await t.rejects(open('news'), { code: 'unavailable' });
  t.same([hub.size, hub.feeds], [0, 0]);
  state.fail = false;
  t.ok(await open('news'));
  await hub.stop();
});

t.test('a stream ends when its caller goes or the server stops', async (t) => {
  const { hub, open, clock } = world();
  const { stop, stream, text } = await open('news');
  const ended = new Promise((resolve) => stream.once('end', resolve));
  stop.abort();
  await ended;
  await settled();
  t.notMatch(text(), /reset|event: end/, 'the page comes back by itself');
  t.equal(hub.size, 0);
  const left = await open('news');
  const closed = new Promise((resolve) => left.stream.once('close', resolve));
  await hub.stop();
  await closed;
  t.equal(clock.armed, 0);
  await t.rejects(open('news'), { code: 'unavailable' });
});
