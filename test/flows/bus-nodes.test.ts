import t from 'tap';
import { EventBus } from '../../plugins/events/bus/contract.ts';
import { expr, FlowServer, node } from '../../plugins/engine/flows/testing/flow-server.ts';
import { until } from '../kit/index.ts';

t.setTimeout(600_000);

t.test('a node emits once, and one waits for an event', async (t) => {
  const flows = await FlowServer.open({ plugins: ['bus'], idle: false });
  t.teardown(() => flows.close());
  const run_id = await flows.submit({
    nodes: [
      node('wait_event')('asked', { type: 'deploy.asked', when: 'event.payload.n > 3' }),
      node('emit')('made', { type: 'deploy.made', payload: expr('nodes.asked.output.payload') }, { needs: ['asked'] }),
    ],
    output: { text: '[nodes.asked.output.payload.n, nodes.made.output]', reads: ['asked', 'made'] },
  });
  t.match(await flows.read(run_id), { status: 'waiting', substate: { kind: 'event', name: 'deploy.asked' } });
  const bus = flows.server.use(EventBus);
  const asked = { ...flows.server.scope, type: 'deploy.asked', key: null, source: 'manual', source_name: '' } as const;
  for (const n of [1, 7]) await bus.emit({ ...asked, payload: { n }, generation: 0, trusted: true, refusable: false });
  await until(async () => (await flows.read(run_id)).status === 'succeeded', { within_ms: 30_000 });
  const [n, event] = (await flows.read(run_id)).output as [number, string];
  t.equal(n, 7);
  t.match(await bus.read(flows.server.scope, event), { type: 'deploy.made', payload: { n: 7 } });
  const bad = await flows.submit({ nodes: [node('wait_event')('a', { type: 'x', when: '1 +' })] });
  t.match(await flows.read(bad), { status: 'failed' }, 'what cannot be waited for fails its node');
  t.same(await flows.broken(), []);
});
