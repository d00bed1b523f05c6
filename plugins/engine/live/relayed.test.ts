import t from 'tap';
import { bootEngine, openTestDatabase, until } from '../../../test/kit/index.ts';
import { startPrivateNats } from '../../../test/support/nats-server.ts';
import { RunStore } from '../runs/contract.ts';
import { LiveServer } from './testing/live-server.ts';
import { wait } from './testing/work.ts';
import { leaveOut } from '../../../test/kit/needs.ts';

t.setTimeout(600_000);

t.test('over NATS, what another server does is told as fast as what this one does', async (t) => {
  const nats = await startPrivateNats();
  if ('reason' in nats) return leaveOut(t, 'nats-server', nats.reason);
  t.teardown(() => nats.stop());
  const database = await openTestDatabase();
  const env = { SVC_WAKE_URL: nats.url };
  const live = await LiveServer.open({ database, env, plugins: ['wake'] });
  const other = await bootEngine({ database, env, idle: false, plugins: ['bus', 'wake'] });
  t.teardown(async () => {
    await live.close();
    await other.close();
    await database.drop();
  });
  const connected = async () =>
    (await live.server.call(undefined, 'GET /metrics')).text.includes('svc_wake_connected 1');
  await until(async () => (await connected()) && other.log.lines.some(({ message }) => /over NATS/.test(message)));
  const stream = await live.ready('runs,events');
  const delays = new Map<string, number[]>();
  const told = async (status: string, work: () => Promise<unknown>) => {
    const since = performance.now();
    await work();
    await stream.until(() => stream.of('run').at(-1)?.data.status === status);
    delays.set(status, [...(delays.get(status) ?? []), stream.of('run').at(-1)!.at - since]);
  };
  for (let n = 0; n < 5; n++) {
    await told('queued', () => other.call('member', `POST ${other.scoped}/runs`, { source: 'true' }));
    const claim = await other.claim();
    await told('running', async () => {});
    await told('waiting', () => other.use(RunStore).park(claim, wait(0, 'go')));
    const { run_id } = claim;
    await told('cancelled', () => other.call('member', `POST ${other.scoped}/runs/${run_id}/cancel`, {}));
  }
  // A poll comes 250 ms after the one before at the earliest, so even on a busy machine only a message can be this fast.
  for (const [status, ms] of delays)
    t.ok(Math.min(...ms) < 200, `${status}: told after ${ms.map(Math.round).join(' ')} ms`);
  const received = (await live.server.call(undefined, 'GET /metrics')).text;
  t.notMatch(received, /svc_wake_messages_total\{what="ignored"\} [1-9]/);
});
