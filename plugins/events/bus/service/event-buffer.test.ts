import t, { type Test } from 'tap';
import { Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import { STORES, type Store } from '../../../../test/kit/index.ts';
import { type WaitKind, WaitKinds } from '../../../engine/runs/contract.ts';
import type { NewEvent } from '../contract.ts';
import { BusProject, openServers } from '../testing/bus-server.ts';

async function open(t: Test, store: Store) {
  const { servers, close } = await openServers(store, 1);
  t.teardown(close);
  const server = servers[0]!;
  const { scope } = new BusProject(server);
  await server.use(Sealer).prepare(scope.org_id);
  const event = (type: string): NewEvent => ({
    ...scope,
    ...{
      type,
      source: 'emit',
      source_name: '',
      key: null,
      payload: null,
      generation: 0,
      trusted: true,
      refusable: false,
    },
  });
  return {
    ...{ server, scope, event, bus: server.bus },
    within: <T>(work: (tx: Transaction) => Promise<T>) => server.database.transaction(work),
    types: async () => {
      const rows = await server.database.read<{ type: string; seq: number }>(
        'SELECT type, seq FROM bus_events WHERE project_id = ? ORDER BY seq',
        [scope.project_id],
      );
      return rows.map(({ type, seq }) => `${seq} ${type}`);
    },
  };
}

for (const store of STORES)
  t.test(`${store}: events that wait for others of their transaction`, async (t) => {
    t.test('are recorded before the next ones, whose results the caller gets', async (t) => {
      const { bus, event, within, types } = await open(t, store);
      const results = await within(async (tx) => {
        bus.buffer(tx, [event('a')]);
        bus.buffer(tx, [event('b')]);
        const next = await bus.record(tx, [event('c')]);
        await bus.recordBuffered(tx);
        return next;
      });
      t.equal(results.length, 1);
      t.same(await types(), ['1 a', '2 b', '3 c'], 'once each');
    });

    t.test('are recorded without others too', async (t) => {
      const { bus, event, within, types } = await open(t, store);
      await within(async (tx) => {
        bus.buffer(tx, [event('a')]);
        await bus.recordBuffered(tx);
      });
      t.same(await types(), ['1 a']);
    });

    t.test('go with their transaction', async (t) => {
      const { bus, event, within, types } = await open(t, store);
      const undone = within(async (tx) => {
        bus.buffer(tx, [event('a')]);
        throw new Error('undone');
      });
      await t.rejects(undone, { message: 'undone' });
      await within((tx) => bus.record(tx, [event('b')]));
      t.same(await types(), ['1 b']);
    });

    t.test('end no wait that is armed after them', async (t) => {
      const { server, bus, event, within, scope, types } = await open(t, store);
      const { arm } = server.use.all(WaitKinds).find(({ kind }) => kind === 'wait-event') as Required<WaitKind>;
      const at = { ...scope, run_id: 'run_1', activity_id: 'act_1', subject: null, trusted: true, generation: 0 };
      const wait = { position: 0, name: 'a', args: null } as unknown as Parameters<typeof arm>[2];
      await within(async (tx) => {
        bus.buffer(tx, [event('a')]);
        await arm(tx, at as unknown as Parameters<typeof arm>[1], wait);
      });
      t.same(await types(), ['1 a']);
      const waits = 'SELECT armed_seq, event_seq FROM bus_waits';
      t.match(await server.database.read(waits), [{ armed_seq: 1, event_seq: null }]);
      await within((tx) => bus.record(tx, [event('a')]));
      t.match(await server.database.read(waits), [{ armed_seq: 1, event_seq: 2 }], 'the next one does');
    });
  });
