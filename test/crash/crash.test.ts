import t from 'tap';
import { createDatabase, startMysql, startPrivateMysql } from '../support/mysql-server.ts';
import { crash } from './crash.ts';
import { databaseDies } from './database.ts';
import { AGENT_POINTS, dieAtPoints, SERVER_POINTS } from './failpoints.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(1_790_000);

/** The short run of the gate; `npm run crash` is the long one. */
const SHORT = { steps: 60, kills: { script: 3, agent: 3, server: 3 } };

t.test('SQLite: one server, one agent, everything killed at random', { timeout: 600_000 }, async (t) => {
  const { status, struck, violations } = await crash({ ...SHORT, servers: 1, agents: 1, seed: 20_261_121 });
  t.equal(status, 'succeeded');
  t.same(violations, []);
  t.same(struck, SHORT.kills, 'every strike hit');
});

t.test('MySQL: two servers and three agents, everything killed at random', { timeout: 600_000 }, async (t) => {
  const server = await startMysql();
  if ('reason' in server) return t.comment(`left out: the crash suite on MySQL (${server.reason})`);
  t.teardown(() => server.stop());
  const database = await createDatabase(server.url);
  t.teardown(() => database.drop());
  const plan = { ...SHORT, servers: 2, agents: 3, seed: 7, database_url: database.url };
  const { status, struck, violations } = await crash(plan);
  t.equal(status, 'succeeded');
  t.same(violations, []);
  t.same(struck, SHORT.kills, 'every strike hit');
  return undefined;
});

t.test('SQLite: server and agent die at every named point', { timeout: 900_000 }, async (t) => {
  for (const { point, died, status, violations } of await dieAtPoints([...SERVER_POINTS, ...AGENT_POINTS])) {
    t.ok(died, `${point} was passed`);
    t.equal(status, 'succeeded', point);
    t.same(violations, [], point);
  }
});

t.test('MySQL: the database server is killed under the service', { timeout: 600_000 }, async (t) => {
  const mysql = await startPrivateMysql();
  if ('reason' in mysql) return t.comment(`left out: the death of the database (${mysql.reason})`);
  t.teardown(() => mysql.stop());
  const { status, seen, survived, violations } = await databaseDies(mysql, 2);
  t.equal(status, 'succeeded');
  t.same(seen, [503, 200, 503, 200], 'readyz says so');
  t.ok(survived, 'server and agent live on');
  t.same(violations, []);
  return undefined;
});
