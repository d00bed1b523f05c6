import t from 'tap';
import { isLong, onlyLong } from '../support/length.ts';
import { openMysql, startPrivateMysql } from '../support/mysql-server.ts';
import { crash } from './crash.ts';
import { databaseDies } from './database.ts';
import { crashJobs } from './jobs.ts';
import { crashWorkers } from './workers.ts';
import { AGENT_POINTS, dieAtPoints, SERVER_POINTS } from './failpoints.ts';
import { leaveOut } from '../kit/needs.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(1_790_000);

/** One kill of a kind, or three in the long run; `npm run crash` is longer still. */
const KILLS = isLong ? 3 : 1;
const SHORT = { steps: 20 * KILLS, kills: { script: KILLS, agent: KILLS, server: KILLS } };
/** After what was recorded, and in the middle of an emit and of a pause: where a second time would show. */
const SOME_POINTS = ['runs.store.append.after', 'bus.fired', 'runs.paused', 'replay.call.recorded'];

t.test('SQLite: one server, one agent, everything killed at random', { timeout: 600_000 }, async (t) => {
  const { status, struck, violations } = await crash({ ...SHORT, servers: 1, agents: 1, seed: 20_261_121 });
  t.equal(status, 'succeeded');
  t.same(violations, []);
  t.same(struck, SHORT.kills, 'every strike hit');
});

t.test(
  'MySQL: two servers and three agents, everything killed at random',
  { timeout: 600_000, ...onlyLong },
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    const plan = { ...SHORT, servers: 2, agents: 3, seed: 7, database_url };
    const { status, struck, violations } = await crash(plan);
    t.equal(status, 'succeeded');
    t.same(violations, []);
    t.same(struck, SHORT.kills, 'every strike hit');
  },
);

/** Kills of each, among two runs that share a worker. */
const WORKERS = { runs: 2, steps: 14 * KILLS, kills: { program: KILLS, worker: KILLS, server: KILLS } };

t.test(
  'SQLite: random functions on a worker, its program, the worker and the server killed at random',
  { timeout: 600_000 },
  async (t) => {
    const { statuses, struck, violations } = await crashWorkers({
      ...WORKERS,
      language: 'typescript',
      servers: 1,
      workers: 1,
      seed: 41,
    });
    t.same(statuses, ['succeeded', 'succeeded']);
    t.same(violations, []);
    t.same(struck, WORKERS.kills, 'every strike hit');
  },
);

/** A hundred in the long run. */
const JOB_KILLS = isLong ? 100 : 4;

t.test(
  'SQLite: two script jobs of one pipeline, agent and server killed at random',
  { timeout: 1_700_000 },
  async (t) => {
    const { status, struck, violations } = await crashJobs({ servers: 1, agents: 1, kills: JOB_KILLS, seed: 29 });
    t.equal(status, 'succeeded');
    t.same(violations, []);
    t.equal(struck.agent + struck.server, JOB_KILLS, 'every strike hit');
  },
);

t.test('SQLite: server and agent die at every named point', { timeout: 900_000 }, async (t) => {
  const all = [...SERVER_POINTS, ...AGENT_POINTS];
  t.same(
    SOME_POINTS.filter((point) => !all.includes(point)),
    [],
  );
  for (const { point, died, status, violations } of await dieAtPoints(isLong ? all : SOME_POINTS)) {
    t.ok(died, `${point} was passed`);
    t.equal(status, 'succeeded', point);
    t.same(violations, [], point);
  }
});

t.test('MySQL: the database server is killed under the service', { timeout: 600_000 }, async (t) => {
  const mysql = await startPrivateMysql();
  if ('reason' in mysql) return leaveOut(t, 'mariadbd', mysql.reason);
  t.teardown(() => mysql.stop());
  const { status, seen, survived, violations } = await databaseDies(mysql, isLong ? 2 : 1);
  t.equal(status, 'succeeded');
  t.same(seen, isLong ? [503, 200, 503, 200] : [503, 200], 'readyz says so');
  t.ok(survived, 'server and agent live on');
  t.same(violations, []);
  return undefined;
});
