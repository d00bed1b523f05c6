import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';
import { Project } from './project.ts';

t.setTimeout(600_000);

/** Of the 20th of January 2026, whose 24 hours are due. */
const RANGE = { from: '2026-01-20T00:00:00Z', to: '2026-01-20T23:00:00Z', overlap: 'allow' };
const HOURS = Array.from({ length: 24 }, (_, hour) => `2026-01-20T${String(hour).padStart(2, '0')}:00:00.000Z`);
/** Needs what no agent has: its runs stay queued, and are counted. */
const HOURLY = { cron: '@hourly', paused: true, workflow: { source: 'true', requires: ['nowhere'] } };
/** The server dies in the transaction of the seventh due time, after its run was written. */
const KILL = 'schedules.waiting:7';

const waiting = async (project: Project): Promise<number> =>
  (await project.ask('GET', 'schedules/hourly/next')).waiting.length;

/** Every due time has one event and one run, and nothing waits. */
async function eachOnce(t: Test, project: Project): Promise<void> {
  await until('the backfill to end', 60_000, async () => ((await waiting(project)) === 0 ? true : undefined));
  const ticks = await project.ticks();
  t.same(ticks.map(({ payload }) => payload.due).sort(), HOURS, 'each due time has one event');
  const runs = await project.all<{ trigger: { event: string } }>('runs?', 'runs');
  t.same(runs.map(({ trigger }) => trigger.event).sort(), ticks.map(({ event }) => event).sort(), 'and one run');
}

/** The request is repeated, as by somebody who does not know what has become of it. */
async function repeated(t: Test, project: Project): Promise<void> {
  await project.ask('POST', 'schedules/hourly/backfill', RANGE);
  await eachOnce(t, project);
}

const died = (target: Target) =>
  until('the server to die in the backfill', 60_000, async () => (target.own!.server.running ? undefined : true));

/** Starts a backfill in which the server dies. */
async function killedInBackfill(t: Test, target: Target) {
  const project = new Project(target);
  await project.ask('PUT', 'schedules/hourly', HOURLY);
  t.equal((await project.ask('POST', 'schedules/hourly/backfill', RANGE)).added, HOURS.length);
  await died(target);
  return { own: target.own!, project };
}

t.test(
  'SQLite: the only server is killed in the middle of a backfill, and each due time starts once',
  inTurn('sqlite'),
  async (t) => {
    const target = await startTarget({ agents: 0, env: { SVC_FAILPOINTS: KILL } });
    t.teardown(() => target.close());
    const { own, project } = await killedInBackfill(t, target);
    t.equal(own.server.child.signalCode, 'SIGKILL');
    delete own.env.SVC_FAILPOINTS;
    own.server = (await own.startServer()).service;
    await eachOnce(t, project);
    await repeated(t, project);
  },
);

t.test(
  'MySQL: a server is killed in the middle of a backfill, two others finish it, and each due time starts once',
  inTurn('mysql'),
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    const target = await startTarget({ database_url, agents: 0, env: { SVC_FAILPOINTS: KILL } });
    t.teardown(() => target.close());
    const { own, project } = await killedInBackfill(t, target);
    delete own.env.SVC_FAILPOINTS;
    own.server = (await own.startServer()).service;
    const other = await own.startServer('0');
    await eachOnce(t, project);
    await repeated(t, project);
    await other.service.kill('SIGKILL');
    return undefined;
  },
);
