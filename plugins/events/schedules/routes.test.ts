import t from 'tap';
import { boot, contestedPuts, STORES } from '../../../test/kit/index.ts';

for (const store of STORES)
  t.test(`${store}: who sets a schedule is told so, though somebody removes it just then`, async (t) => {
    const server = await boot({ store, plugins: ['schedules'] });
    t.teardown(() => server.close());
    t.same(await contestedPuts(server, `${server.scoped}/schedules/contested`, { cron: '@yearly' }), []);
  });
