import t, { type Test } from 'tap';
import { Database, Ids, type Param, type Queries } from '../../../../../kernel/contracts/index.ts';
import { bootEngine, STORES } from '../../../../../test/kit/index.ts';
import { Activities, ISOLATES, RunEngine, RunStore } from '../../contract.ts';
import { IDLE_QUEUE_MS, removeIdleLanes, TaskQueues, findCandidates, QueuePositions } from './queues.ts';

t.setTimeout(300_000);

const HOUR_LATER = IDLE_QUEUE_MS + 1;

/** An engine, and its lanes as they are at another time. */
async function world(t: Test, store: 'sqlite' | 'mysql') {
  const server = await bootEngine({ store });
  t.teardown(() => server.close());
  const database = server.use(Database);
  const { org_id } = server.scope;
  const at = (now: number): Parameters<typeof removeIdleLanes>[0] => ({
    now: () => now,
    read: (statement, params) => database.read(statement, params),
    transaction: (work) => database.transaction(work),
  });
  const requiresOfLanes = async () =>
    (await database.read<{ requires: string }>('SELECT requires FROM runs_lanes WHERE org_id = ?', [org_id]))
      .map(({ requires }) => (JSON.parse(requires) as string[]).join())
      .sort();
  const add = async (run_id: string, requires: string) => {
    const activity_id = server.use(Ids).next('act');
    const activity = { activity_id, name: requires, executor: 'script', spec: null, requires: [requires] };
    await database.transaction((tx) => server.use(Activities).add(tx, { ...server.scope, run_id }, [activity]));
    return activity_id;
  };
  const claim = async (...capabilities: string[]) =>
    server.use(RunStore).claim({ agent_id: 'agt_1', org_id, capabilities, executors: ['script'] }, 9, 600_000);
  return { server, database, org_id, at, requiresOfLanes, add, claim };
}

for (const store of STORES) {
  t.test(`${store}: a lane goes when nothing stands in it for an hour, and comes again with work`, async (t) => {
    const { server, database, at, requiresOfLanes, add, claim } = await world(t, store);
    const { run_id } = await server.use(RunEngine).submit(server.submit({}));
    for (const requires of ['waiting', 'claimed', 'parked', 'over']) await add(run_id, requires);
    const [claimed] = await claim('claimed');
    t.ok(claimed);
    const [parking] = await claim('parked');
    t.ok(parking);
    await database.write(
      "UPDATE runs_activities SET state = 'parked', agent_id = NULL, deadline = NULL WHERE activity_id = ?",
      [parking!.activity_id],
    );
    const [over] = await claim('over');
    await server.use(RunStore).complete(over!, { status: 'succeeded', output: null });
    const later = database.now() + HOUR_LATER;
    t.equal(
      await removeIdleLanes(at(database.now() + IDLE_QUEUE_MS / 2), 100),
      0,
      'nobody looks at lanes that were used lately',
    );
    t.equal(await removeIdleLanes(at(later), 100), 5);
    t.same(
      await requiresOfLanes(),
      ['', 'claimed', 'parked', 'waiting'],
      'what waits, runs or is parked holds its lane',
    );
    t.equal(await removeIdleLanes(at(later), 100), 0, 'and counts as used');
    t.equal((await claim('waiting')).length, 1);

    const lanes = new TaskQueues(
      () => [],
      () => later,
    );
    const work = { executor: 'script', requires: ['over'] };
    await lanes.queueFor(database, server.scope.org_id, work, { trusted: true, project_id: 'prj_1' });
    t.same(await requiresOfLanes(), ['', 'claimed', 'over', 'parked', 'waiting']);
  });

  t.test(`${store}: a lane that is used again in the moment of its removal is there afterwards`, async (t) => {
    const { database, org_id, at, requiresOfLanes } = await world(t, store);
    let now = database.now();
    const work = { executor: 'script', requires: ['again'] };
    const outcomes = new Set<number>();
    for (let round = 0; round < 40; round += 1) {
      now += HOUR_LATER;
      // Three servers: each has its own memory of lanes.
      const servers = Array.from(
        { length: 3 },
        () =>
          new TaskQueues(
            () => [],
            () => now,
          ),
      );
      const [looked] = await Promise.all([
        removeIdleLanes(at(now), 100),
        ...servers.map((lanes) =>
          database.transaction((tx) => lanes.queueFor(tx, org_id, work, { trusted: true, project_id: 'prj_1' })),
        ),
        ...servers.map((lanes) => lanes.queueFor(database, org_id, work, { trusted: true, project_id: 'prj_1' })),
      ]);
      outcomes.add(looked);
      t.same(await requiresOfLanes(), ['again'], `round ${round}`);
    }
    t.ok(outcomes.size > 0);
  });

  t.test(`${store}: a known lane is looked for again before it may have gone`, async (t) => {
    const { database, org_id, at, requiresOfLanes } = await world(t, store);
    let now = database.now();
    const lanes = new TaskQueues(
      () => [],
      () => now,
    );
    const work = { executor: 'script', requires: ['known'] };
    // Used all the time by one process, which writes it down seldom.
    for (let minutes = 0; minutes < 180; minutes += 3) {
      now += 3 * 60_000;
      await lanes.queueFor(database, org_id, work, { trusted: true, project_id: 'prj_1' });
      await removeIdleLanes(at(now), 100);
      t.same(await requiresOfLanes(), ['known'], `after ${minutes} minutes`);
    }
    now += 24 * HOUR_LATER;
    t.equal(await removeIdleLanes(at(now), 100), 1);
    await lanes.queueFor(database, org_id, work, { trusted: true, project_id: 'prj_1' });
    t.same(await requiresOfLanes(), ['known'], 'after a day, or a clock that was set forward');
    now -= 48 * HOUR_LATER;
    await database.write('DELETE FROM runs_lanes WHERE org_id = ?', [org_id]);
    await lanes.queueFor(database, org_id, work, { trusted: true, project_id: 'prj_1' });
    t.same(await requiresOfLanes(), ['known'], 'and after one that was set back');
  });

  t.test(`${store}: whoever makes thousands of lanes hides nothing and slows nobody`, async (t) => {
    const { server, database, org_id } = await world(t, store);
    const made = { trusted: 3000, untrusted: 3000 };
    const lanes = Object.entries(made).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, n) => [
        `${org_id}:${kind === 'trusted' ? 'a' : 'b'}${String(n).padStart(31, '0')}`,
        org_id,
        JSON.stringify([`${kind}-${n}`]),
        'script',
        kind === 'trusted' ? 0 : 1,
        database.now(),
      ]),
    );
    for (let from = 0; from < lanes.length; from += 500) {
      const some = lanes.slice(from, from + 500);
      await database.write(
        `INSERT INTO runs_lanes (lane, org_id, requires, executor, untrusted, used_at) VALUES ${some.map(() => '(?, ?, ?, ?, ?, ?)').join()}`,
        some.flat(),
      );
    }
    const wanted = new Map<string, boolean>();
    for (const trusted of [true, false]) {
      const { run_id } = await server.use(RunEngine).submit(server.submit({ trusted }));
      wanted.set(run_id, trusted);
    }
    const windows = new QueuePositions();
    const read: number[] = [];
    const on: Pick<Queries, 'read' | 'sql'> = {
      sql: database.sql,
      async read<T>(statement: string, params: readonly Param[] = []) {
        const rows = await database.read<T>(statement, params);
        read.push(rows.length);
        return rows;
      },
    };
    const found = new Set<string>();
    let claims = 0;
    for (; claims < 10 && found.size < 2; claims += 1) {
      read.length = 0;
      const by = { agent_id: 'agt_1', org_id, capabilities: [ISOLATES], executors: ['script'] };
      for (const { run_id } of await findCandidates(on, by, 9, database.now() + 1000, windows)) found.add(run_id);
      t.ok(read.reduce((a, b) => a + b, 0) <= 4 * 1250 + 18, `claim ${claims} reads ${read.join(' + ')} rows`);
    }
    t.same([...found].sort(), [...wanted.keys()].sort(), `found by ${claims} claims`);
  });
}
