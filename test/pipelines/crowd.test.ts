import t from 'tap';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { crowd } from './crowd.ts';

t.setTimeout(600_000);

/** The short run of the gate; `npm run crash -- --pipelines 100 --kills 60` is a long one. */
const SHORT = { pipelines: 6, kills: 4 };

t.test(
  'SQLite: pipelines end right while agents and servers die',
  { timeout: 600_000, ...inTurn('sqlite') },
  async (t) => {
    const { struck, violations } = await crowd({ ...SHORT, servers: 1, agents: 2, seed: 20_261_122 });
    t.same(violations, []);
    t.equal(struck, SHORT.kills);
  },
);

t.test(
  'MySQL: the same with two servers, whose connections are cut too',
  { timeout: 600_000, ...inTurn('mysql') },
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    const { struck, violations } = await crowd({
      ...{ ...SHORT, servers: 2, agents: 3, seed: 11 },
      database_url,
    });
    t.same(violations, []);
    t.equal(struck, SHORT.kills);
  },
);
