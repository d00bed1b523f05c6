import t from 'tap';
import { createMaskers, Activity } from '../../../../test/kit/index.ts';
import type { JournalRecord } from '../../../engine/runs/contract.ts';
import { open } from './testing/client.ts';
import { begin, end, key, lease, step, TestClock, turns } from './testing/steps.ts';

t.test('under a lease steps begin without an answer, in one piece with their end', async (t) => {
  const clock = new TestClock();
  const { client, activity } = await open(t, new Activity(), clock);
  const sdk = await client().hello(3);
  t.match(await sdk.ask(begin(1, 'a')), { id: 1, run: true, key: key('a', 0) });
  t.match(await sdk.ask(end(2)), { id: 2, record: { name: 'a', position: 0 }, ahead: { ms: 10 } });
  sdk.send(begin(3, 'a', { key: key('a', 1) }), end(4));
  const ended = await sdk.next();
  t.match(ended, { id: 4, record: { name: 'a', ordinal: 1, position: 1 }, replayed: false });
  t.notOk((ended.ahead as { steps?: unknown }).steps, 'its own steps are no news');
  sdk.send(begin(5, 'b', { key: key('b', 0) }));
  t.match(await sdk.ask({ id: 5, op: 'begun' }), { id: 5, run: true, key: key('b', 0), site: 'b#0' }, 'asked for');
  t.match(await sdk.ask(begin(6, 'inner')), { id: 6, error: { code: 'step_in_progress' } });
  t.match(await sdk.ask(end(7)), { id: 7, record: { name: 'b' } });
  t.match(await sdk.send({ id: 8, op: 'begun' }).ask({ ...end(9) }), {
    id: 9,
    error: { message: /there is no request for/ },
  });
  t.same(activity.sites(), ['step a#0=0', 'step a#1=0', 'step b#0=0']);
});

t.test('steps that were ended share a commit, and the next one does not wait for it', async (t) => {
  const activity = new Activity();
  const stored = Promise.withResolvers<void>();
  const under_way: number[] = [];
  activity.onAppend = async ({ position }: JournalRecord) => {
    under_way.push(position);
    await stored.promise;
  };
  const { client } = await open(t, activity);
  const sdk = await client().hello(3);
  await sdk.ask(begin(1, 'a'));
  t.match(
    await sdk.send(end(2)).ask(begin(3, 'b')),
    { id: 3, run: true, site: 'b#0' },
    'begun while a is being stored',
  );
  t.match(await sdk.send(end(4)).ask(begin(5, 'c')), { id: 5, run: true });
  sdk.send(end(6));
  sdk.send({ id: 7, op: 'call', verb: 'state', args: ['set', 'k', 'v'] });
  while (under_way.length < 3) await turns(1);
  t.same(under_way, [0, 1, 2]);
  t.same(activity.journal, [], 'nothing is answered before it is durable');
  stored.resolve();
  for (const [id, name] of [
    [2, 'a'],
    [4, 'b'],
    [6, 'c'],
  ])
    t.match(await sdk.next(), { id, record: { name } });
  t.match(await sdk.next(), { id: 7, exit: 0 }, 'what the server does itself comes after them');
  t.same(activity.sites(), ['step a#0=0', 'step b#0=0', 'step c#0=0', 'state set k#0=0']);
});

t.test('who never waits for an answer is held up', async (t) => {
  const activity = new Activity();
  const stored = Promise.withResolvers<void>();
  activity.onAppend = () => stored.promise;
  const { client } = await open(t, activity);
  const sdk = await client().hello(3);
  let begun = await sdk.ask(begin(1, 'x'));
  let id = 1;
  for (; begun.run === true && id < 1000; id += 2) begun = await sdk.send(end(id + 1)).ask(begin(id + 2, 'x'));
  t.match(begun, { error: { code: 'socket_request_invalid', message: /one request at a time/ } });
  stored.resolve();
  for (let ended = 2; ended < id + 1; ended += 2) t.match(await sdk.next(), { id: ended, record: { name: 'x' } });
  t.equal(activity.journal.length, 64);
  t.match(await step(sdk, 'x', 1000), { record: { ordinal: 64 } }, 'and goes on after');
});

t.test('another caller waits for the end of the lease, and what was begun under it comes first', async (t) => {
  const clock = new TestClock();
  const { client, activity } = await open(t, new Activity(), clock);
  const sdk = await client().hello(3);
  await step(sdk, 'x');
  const other = await client().hello();
  other.send({ id: 1, op: 'verb', argv: ['step', 'x', '--', 'make'], cwd: '/' });
  while (clock.waiting === 0) await turns(1);
  clock.pass(9);
  await turns();
  // In the socket before the lease is over, though the agent reads it after.
  sdk.send(begin(3, 'x', { key: key('x', 1) }));
  clock.pass(1);
  await turns();
  const asked = await sdk.ask({ id: 3, op: 'begun' });
  t.match(asked, { id: 3, run: true, key: key('x', 1) });
  t.equal(lease(asked), 0, 'somebody waits');
  const ended = await sdk.ask(end(4));
  t.match(ended, { id: 4, record: { name: 'x', ordinal: 1 } });
  t.equal(lease(ended), 0);
  t.match(await other.next(), { id: 1, exec: ['make'], key: key('x', 2) });
  sdk.send(begin(5, 'x', { key: key('x', 2) }));
  await turns();
  other.send({ id: 1, op: 'result', exit: 0, stdout: '', size: 0 });
  t.match(await sdk.next(), { id: 5, run: true, key: key('x', 3) }, 'not begun under a lease, so it is answered');
  t.match(await sdk.ask(end(6)), { id: 6, record: { ordinal: 3 } });
  t.same(activity.sites(), ['step x#0=0', 'step x#1=0', 'step x#2=0', 'step x#3=0']);
});

t.test('an idle holder of a lease that is over holds nobody up; one that is gone neither', async (t) => {
  const clock = new TestClock();
  const { client, activity } = await open(t, new Activity(), clock);
  const sdk = await client().hello(3);
  await step(sdk, 'x');
  clock.pass(10);
  const other = await client().hello();
  t.match(await other.ask({ id: 1, op: 'verb', argv: ['state', 'set', 'a', '1'], cwd: '/' }), { exit: 0 });
  t.equal(clock.waiting, 0, 'without a timer');
  t.equal(lease(await step(sdk, 'y', 3)), 10, 'nobody had to wait, so there are leases');
  const waiting = other.ask({ id: 2, op: 'verb', argv: ['state', 'set', 'a', '2'], cwd: '/' });
  while (clock.waiting === 0) await turns(1);
  sdk.socket.destroy();
  t.match(await waiting, { exit: 0 }, 'in the same moment');
  t.equal(clock.waiting, 0);
  t.same(activity.sites(), ['step x#0=0', 'state set a#0=0', 'step y#0=0', 'state set a#1=0']);
});

t.test('after one that others had to wait for there are no leases for a while', async (t) => {
  const clock = new TestClock();
  const { client } = await open(t, new Activity(), clock);
  const sdk = await client().hello(3);
  await step(sdk, 'x');
  const other = await client().hello();
  const waiting = other.ask({ id: 1, op: 'verb', argv: ['state', 'set', 'a', '1'], cwd: '/' });
  while (clock.waiting === 0) await turns(1);
  clock.pass(10);
  await waiting;
  let without = 0;
  for (let id = 3; lease(await step(sdk, 'x', id)) === 0; id += 2) without += 1;
  t.equal(without, 32, 'two answers each');
});

t.test('a caller learns which steps others have made, a part with each answer', async (t) => {
  const { client } = await open(t, new Activity(), new TestClock());
  const other = await client().hello();
  for (let n = 0; n < 300; n += 1) {
    await other.ask({ id: 1, op: 'verb', argv: ['step', `s${n % 200}`, '--', 'x'], cwd: '/' });
    await other.ask({ id: 1, op: 'result', exit: 0, stdout: '', size: 0 });
  }
  await other.ask({ id: 1, op: 'verb', argv: ['state', 'set', 'a', '1'], cwd: '/' });
  const sdk = await client().hello(3);
  const first = await sdk.ask(begin(1, 's7'));
  t.match(first, { run: true, site: 's7#2', ahead: { ms: 0 } }, 'no lease before it knows them all');
  const second = await sdk.ask(end(2));
  t.equal(lease(second), 10);
  const told = [first, second].flatMap(({ ahead }) => (ahead as { steps: [string, number][] }).steps);
  t.equal(told.length, 300 + 1);
  t.same(
    [told[0], told[207], told.at(-1)],
    [
      ['s0', 0],
      ['s7', 1],
      ['s7', 2],
    ],
  );
});

t.test('a step that was started with the key of another position is refused with its connection', async (t) => {
  for (const wrong of [key('x', 0), key('y', 1), 'f'.repeat(64)]) {
    const { client, activity } = await open(t, new Activity(), new TestClock());
    const sdk = await client().hello(3);
    await step(sdk, 'x');
    sdk.send(begin(3, 'x', { key: wrong }), end(4));
    t.match(await sdk.next(), { id: 4, error: { code: 'socket_request_invalid', message: /another position/ } });
    await sdk.closed;
    t.same(activity.sites(), ['step x#0=0']);
  }
});

t.test('a name that no step can have is refused, begun or not', async (t) => {
  const { client, activity } = await open(t, new Activity(), new TestClock());
  const sdk = await client().hello(3);
  await step(sdk, 'x');
  for (const name of ['', 'a#1', 'a\nb', 'a\u2028b#1', 'x'.repeat(201)])
    t.match(
      await sdk.ask(begin(3, name, { key: key(name, 0) })),
      { id: 3, error: { code: 'verb_usage' } },
      encodeURI(name),
    );
  t.same(activity.sites(), ['step x#0=0']);
});

t.test('there is no lease while records are left, with secrets, in a dry pass, and for an older client', async (t) => {
  const activity = new Activity();
  const past = await open(t, activity, new TestClock());
  const writer = await past.client().hello(3);
  await step(writer, 'a');
  await step(writer, 'b', 3);

  const again = await open(t, activity, new TestClock());
  const reader = await again.client().hello(3);
  const first = await reader.ask(begin(1, 'a'));
  t.match(first, { replayed: true });
  t.equal(lease(first), 0, 'a record is left');
  t.equal(lease(await reader.ask(begin(2, 'b'))), 10, 'the last one');
  t.match(await reader.send(begin(3, 'c', { key: key('c', 0) })).ask(end(4)), { id: 4, record: { name: 'c' } });

  const secret = new Activity();
  secret.masker = createMaskers().masker(['hush-hush']);
  const masked = await (await open(t, secret, new TestClock())).client().hello(3);
  t.equal(lease(await step(masked, 'x')), 0, 'a name may be masked, and the key is that of the masked one');

  const lost = Object.assign(new Activity(), { hasClaim: () => held });
  let held = true;
  const away = await (await open(t, lost, new TestClock())).client().hello(3);
  t.equal(lease(await step(away, 'x')), 10);
  held = false;
  t.match(await away.ask(begin(3, 'x', { key: key('x', 1) })), { gone: true }, 'whoever may have lost its claim stops');

  const old = await (await open(t, new Activity(), new TestClock())).client().hello(2);
  t.notOk('ahead' in (await step(old, 'x')));
  old.send(begin(3, 'x', { key: key('x', 1) }));
  t.match(await old.next(), { id: 3, run: true }, 'an older client is answered whatever it sends');
});

t.test('a holder is told when the pass is over, and nothing that it has begun is recorded', async (t) => {
  const { client, server, journal, activity } = await open(t, new Activity(), new TestClock());
  const sdk = await client().hello(3);
  await step(sdk, 'x');
  journal.freeze();
  server.cancelCalls();
  t.match(await sdk.next(), { gone: true });
  sdk.send(begin(3, 'x', { key: key('x', 1) }), end(4));
  t.match(await sdk.next(), { gone: true });
  t.same(activity.sites(), ['step x#0=0']);
});

t.test('who dies in a step that it has begun leaves a place that is recorded as killed', async (t) => {
  const clock = new TestClock();
  const { client, activity } = await open(t, new Activity(), clock);
  const sdk = await client().hello(3);
  await step(sdk, 'x');
  sdk.send(begin(3, 'y', { key: key('y', 0) }));
  await sdk.ask({ id: 3, op: 'begun' });
  sdk.socket.destroy();
  await turns();
  const other = await client().hello();
  const waiting = other.ask({ id: 1, op: 'verb', argv: ['state', 'set', 'a', '1'], cwd: '/' });
  while (clock.waiting === 0) await turns(1);
  clock.pass(250);
  t.match(await waiting, { exit: 0 });
  t.same(activity.sites(), ['step x#0=0', 'step y#0=137', 'state set a#0=0']);
});
