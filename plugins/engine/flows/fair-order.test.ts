import t from 'tap';
import { Database } from '../../../kernel/contracts/index.ts';
import { STORES } from '../../../test/kit/index.ts';
import { readPendingFlows } from './store/flow-row.ts';
import { FlowServer } from './testing/flow-server.ts';

for (const store of STORES)
  t.test(`orgs and projects take turns when their flows continue, on ${store}`, async (t) => {
    const flows = await FlowServer.open({ store });
    t.teardown(() => flows.close());
    const database = flows.server.use(Database);
    let made = 0;
    const pending = async (org_id: string, project_id: string, count: number) => {
      for (let n = 0; n < count; n += 1)
        await database.write(
          `INSERT INTO flows_flows (run_id, org_id, project_id, language, header, nodes, ended, failed, stopped, resume_at)
           VALUES (?, ?, ?, 'test', ?, 0, 0, 0, 0, ?)`,
          [`run_${(made += 1)}`, org_id, project_id, Buffer.alloc(0), made],
        );
    };
    const read = async (limit: number, now = 1000) =>
      (await readPendingFlows(database, now, limit)).map(({ project_id, run_id }) => `${project_id} ${run_id}`);

    await pending('org_a', 'a1', 30);
    await pending('org_a', 'a2', 2);
    await pending('org_b', 'b1', 3);
    await pending('org_c', 'c1', 1);
    const order = await read(5);
    t.same(
      order.slice(0, 8),
      ['a1 run_1', 'b1 run_33', 'c1 run_36', 'a2 run_31', 'b1 run_34', 'a1 run_2', 'b1 run_35', 'a2 run_32'],
      'although thirty flows of one project have waited longer',
    );
    t.same(order.slice(8), ['a1 run_3', 'a1 run_4', 'a1 run_5'], 'those of one project stay in order');
    t.same(await read(5, 3), ['a1 run_1', 'a1 run_2', 'a1 run_3'], 'only what is due');
  });
