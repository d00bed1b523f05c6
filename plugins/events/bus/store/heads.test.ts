import t from 'tap';
import type { Database } from '../../../../kernel/contracts/index.ts';
import { STORES } from '../../../../test/kit/index.ts';
import { BusProject, openServers } from '../testing/bus-server.ts';
import { lastSeq } from './heads.ts';
import { listOldestEvents, removeEvents } from './prune-rows.ts';
import { listSeenTypes } from './types.ts';

/** Removes the first events that are left, as pruning does. */
async function remove(database: Database, project_id: string, count: number): Promise<void> {
  const events = (await listOldestEvents(database, project_id, 0)).slice(0, count);
  for await (const _ of removeEvents(database, project_id, events, 2));
}

for (const store of STORES)
  t.test(`${store}: numbers go on and types name their last event, whatever was removed`, async (t) => {
    const { servers, close } = await openServers(store, 1);
    t.teardown(close);
    const project = new BusProject(servers[0]!);
    const { database } = servers[0]!;
    const { project_id } = project.scope;
    const rows = async () => [
      await database.read('SELECT * FROM bus_heads WHERE project_id = ?', [project_id]),
      await database.read('SELECT * FROM bus_types WHERE project_id = ?', [project_id]),
    ];
    const seen = async () =>
      (await listSeenTypes(database, project.scope, '', 9)).map(({ type, last_event }) => ({ type, last_event }));

    t.equal(await lastSeq(database, project_id), 0, 'there is no head yet');
    await project.emit('a');
    const first = await rows();
    const last_a = await project.emit('a');
    if (store === 'sqlite') t.same(await rows(), first, 'a further event writes neither the head nor its type');
    const last_b = await project.emit('b');
    t.equal(await lastSeq(database, project_id), 3);
    t.same(await seen(), [
      { type: 'a', last_event: last_a },
      { type: 'b', last_event: last_b },
    ]);

    await remove(database, project_id, 1);
    t.equal((await seen()).length, 2, 'a type with a newer event stays');
    await remove(database, project_id, 1);
    t.same(await seen(), [{ type: 'b', last_event: last_b }]);
    await remove(database, project_id, 1);
    t.same(await seen(), []);
    t.equal(await lastSeq(database, project_id), 3, 'the number outlives its event');

    await project.emit('b');
    t.same(
      (await listOldestEvents(database, project_id, 0)).map(({ seq, type }) => [Number(seq), type]),
      [[4, 'b']],
      'and is not given again',
    );
    t.equal((await seen()).length, 1);
  });
