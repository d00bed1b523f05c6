import t from 'tap';
import { createDatabase, startMysql } from '../support/mysql-server.ts';
import { crowd } from './crowd.ts';
import { leaveOut } from '../kit/needs.ts';

t.setTimeout(600_000);

/** The short run of the gate; `npm run crash -- --pipelines 100 --kills 60` is a long one. */
const SHORT = { pipelines: 6, kills: 4 };

t.test('SQLite: pipelines end right while agents and servers die', { timeout: 600_000 }, async (t) => {
  const { struck, violations } = await crowd({ ...SHORT, servers: 1, agents: 2, seed: 20_261_122 });
  t.same(violations, []);
  t.equal(struck, SHORT.kills);
});

t.test('MySQL: the same with two servers, whose connections are cut too', { timeout: 600_000 }, async (t) => {
  const server = await startMysql();
  if ('reason' in server) return leaveOut(t, 'mariadbd', server.reason);
  t.teardown(() => server.stop());
  const database = await createDatabase(server.url);
  t.teardown(() => database.drop());
  const { struck, violations } = await crowd({
    ...{ ...SHORT, servers: 2, agents: 3, seed: 11 },
    database_url: database.url,
  });
  t.same(violations, []);
  t.equal(struck, SHORT.kills);
  return undefined;
});
