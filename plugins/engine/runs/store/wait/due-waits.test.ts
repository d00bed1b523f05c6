import t from 'tap';
import { Database } from '../../../../../kernel/contracts/index.ts';
import { boot, STORES } from '../../../../../test/kit/index.ts';
import { findOverdue } from '../end/cancel.ts';
import { findDueWaits } from './due-waits.ts';

for (const store of STORES)
  t.test(`waits of one run, project or org do not delay those of others, on ${store}`, async (t) => {
    const server = await boot({ store, plugins: ['runs'], idle: true });
    t.teardown(() => server.close());
    const database = server.use(Database);
    let made = 0;
    const arm = async (org_id: string, project_id: string, run_id: string, count: number, deadline?: number) => {
      for (let n = 0; n < count; n += 1)
        await database.write(
          `INSERT INTO runs_waits (run_id, activity_id, position, org_id, project_id, kind, substate, name, topic, ordinal,
             digest, args, state, seq, epoch, started_at, armed_at, deadline)
           VALUES (?, ?, 0, ?, ?, 'sleep', 'sleep', 'sleep', '', 0, '', '{}', 'armed', 0, 1, 0, 0, ?)`,
          [run_id, `act_${(made += 1)}`, org_id, project_id, deadline ?? made],
        );
    };
    const find = async (most: number) => (await findDueWaits(database, most)).map(({ run_id }) => run_id);

    await arm('org_a', 'a1', 'flood', 40);
    t.same(
      await find(50),
      Array.from({ length: 40 }, () => 'flood'),
      'all of them, if there is room',
    );
    await arm('org_a', 'a1', 'neighbour', 1);
    await arm('org_a', 'a2', 'project', 1);
    await arm('org_b', 'b1', 'org', 1);
    await arm('org_b', 'b1', 'later', 1, database.now() + 3_600_000);
    t.same(
      await find(8),
      ['org', 'project', 'neighbour', 'flood', 'flood', 'flood', 'flood', 'flood'],
      'although forty of one run have been due for longer',
    );
    t.same(await find(100), [...Array.from({ length: 40 }, () => 'flood'), 'neighbour', 'project', 'org']);

    const times = async (org_id: string, project_id: string, run_id: string) =>
      database.write('INSERT INTO runs_deadlines (run_id, org_id, project_id, deadline) VALUES (?, ?, ?, ?)', [
        run_id,
        org_id,
        project_id,
        (made += 1),
      ]);
    for (let n = 0; n < 9; n += 1) await times('org_a', 'a1', `flood${n}`);
    await times('org_a', 'a2', 'project');
    await times('org_b', 'b1', 'org');
    const overdue = async (most: number) => (await findOverdue(database, most)).map(({ run_id }) => run_id);
    t.same(await overdue(5), ['org', 'project', 'flood0', 'flood1', 'flood2'], 'nor do runs whose time is over');
    t.equal((await overdue(100)).length, 11);
  });
