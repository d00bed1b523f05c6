import t from 'tap';
import { Activity } from '../../../../test/kit/index.ts';
import { open } from './testing/client.ts';
import { begin, end, key, lease, step, TestClock } from './testing/steps.ts';

t.test('a lease is counted from the last request that its answer answers', async (t) => {
  const clock = new TestClock();
  const { client } = await open(t, new Activity(), clock);
  const sdk = await client().hello(3);
  t.match(await sdk.ask({ id: 1, op: 'call', verb: 'step', args: ['x', '--', 'make'], cwd: '/', exec: true }), {
    exec: ['make'],
  });
  clock.pass(5000);
  const called = await sdk.ask({ id: 1, op: 'result', exit: 0, stdout: '', size: 0 });
  t.match(called, { exit: 0 });
  t.equal(lease(called), 10, 'the time of the command is no part of it');
  sdk.send(begin(2, 'y', { key: key('y', 0) }));
  await sdk.ask({ id: 9, op: 'hello', protocol: 3 });
  clock.pass(5000);
  const asked = await sdk.ask({ id: 2, op: 'begun' });
  t.match(asked, { run: true });
  t.equal(lease(asked), 10, 'nor is the time between a begin and the question for its answer');
});

t.test('a lease is not prolonged by whoever may have lost its claim', async (t) => {
  let held = true;
  const lost = Object.assign(new Activity(), { hasClaim: () => held });
  const { client } = await open(t, lost, new TestClock());
  const sdk = await client().hello(3);
  t.equal(lease(await step(sdk, 'x')), 10);
  t.match(await sdk.ask(begin(3, 'x')), { run: true });
  lost.onAppend = () => {
    held = false;
  };
  const ended = await sdk.ask(end(4));
  t.match(ended, { record: { name: 'x' } });
  t.equal(lease(ended), 0);
});

t.test('a request that cannot be read is refused by its number, beside those that wait', async (t) => {
  const activity = new Activity();
  const stored = Promise.withResolvers<void>();
  activity.onAppend = () => stored.promise;
  const { client } = await open(t, activity);
  const sdk = await client().hello(3);
  await sdk.ask(begin(1, 'a'));
  t.match(await sdk.send(end(2)).ask(begin(3, 'b', { label: '\0' })), {
    id: 3,
    error: { code: 'socket_request_invalid', message: /label/ },
  });
  stored.resolve();
  t.match(await sdk.next(), { id: 2, record: { name: 'a' } });
});
