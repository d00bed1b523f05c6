import t from 'tap';
import { succeeded } from '../testing/agent.ts';
import { inMemory } from '../testing/in-memory.ts';
import { until } from '../../../../test/kit/index.ts';

t.test('a secret in the name of a call does not leave the agent with the lines that follow it', async (t) => {
  const above = [{ name: 'TOKEN', value: 'tok-4711-abc', secret: true }];
  const environments = { environment: async () => ({ below: [], workflow: {}, above }) };
  const { server, store, executor, stop } = await inMemory({ environments });
  t.teardown(stop);
  store.add('a');
  server.wakeups.work();
  await until(() => executor.passes.length === 1);
  const { host, end } = executor.passes[0]!;
  host.setLogSite!('push tok-4711-abc#0');
  host.log('stdout', Buffer.from('pushed with tok-4711-abc\n'));
  host.setLogSite!('done#0');
  host.log('stdout', Buffer.from('done\n'));
  end(succeeded);
  await until(() => store.get('a').state === 'done');
  t.same(
    store.get('a').logs.map(({ site, data }) => [site, Buffer.from(data, 'base64').toString()]),
    [
      ['push ***#0', 'pushed with ***\n'],
      ['done#0', 'done\n'],
    ],
  );
});
