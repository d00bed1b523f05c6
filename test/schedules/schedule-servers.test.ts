import t, { type Test } from 'tap';
import { Project } from './project.ts';
import { until } from '../../features/support/process.ts';
import { startTarget } from '../../features/support/target.ts';
import { inTurn } from '../support/length.ts';
import { openMysql } from '../support/mysql-server.ts';

// tap ends a whole file after 30 s unless told otherwise.
t.setTimeout(600_000);

const SCHEDULES = 20;
const TICKS = 200;

async function everySecond(project: Project): Promise<void> {
  // Needs what no agent has: its runs stay queued, and are counted.
  const workflow = { source: 'true', requires: ['nowhere'] };
  for (let i = 0; i < SCHEDULES; i++)
    await project.ask('PUT', `schedules/every-${i}`, { cron: '* * * * * *', workflow });
}

const ticked = (project: Project, count: number) =>
  until(`${count} ticks`, 120_000, async () => ((await project.tickCount()) >= count ? true : undefined));

/** From the first to the last due time of each schedule, every second has one event and one run. */
async function eachOnce(t: Test, project: Project): Promise<void> {
  for (let i = 0; i < SCHEDULES; i++) await project.ask('DELETE', `schedules/every-${i}`);
  const ticks = await project.ticks();
  t.ok(ticks.length >= TICKS, `${ticks.length} ticks`);
  for (let i = 0; i < SCHEDULES; i++) {
    const own = ticks.filter(({ payload }) => payload.schedule === `every-${i}`);
    const seconds = own.map(({ payload }) => Date.parse(payload.due) / 1000).sort((a, b) => a - b);
    const [first = 0] = seconds;
    t.same(
      seconds,
      seconds.map((_, n) => first + n),
      `every-${i} has each second once`,
    );
  }
  t.notOk(
    ticks.some(({ payload }) => payload.missed),
    'none was counted as missed',
  );
  const runs = await project.all<{ trigger: { event: string } }>('runs?', 'runs');
  t.same(runs.map(({ trigger }) => trigger.event).sort(), ticks.map(({ event }) => event).sort(), 'and one run');
}

t.test(
  'MySQL: of two servers one dies inside a tick, another at any moment, and each due time comes once',
  inTurn('mysql'),
  async (t) => {
    const database_url = await openMysql(t);
    if (database_url === undefined) return;
    const target = await startTarget({ database_url, agents: 0 });
    t.teardown(() => target.close());
    const project = new Project(target);
    const own = target.own!;
    own.env.SVC_FAILPOINTS = 'schedules.ticked:8';
    const doomed = await own.startServer('0');
    delete own.env.SVC_FAILPOINTS;
    await everySecond(project);
    await until('it to die inside a tick', 60_000, async () => (doomed.service.running ? undefined : true));
    t.equal(doomed.service.child.signalCode, 'SIGKILL');
    const other = await own.startServer('0');
    await ticked(project, TICKS / 2);
    await other.service.kill('SIGKILL');
    await ticked(project, TICKS);
    await eachOnce(t, project);
  },
);

t.test(
  'SQLite: the only server dies inside a tick, is started again, and each due time comes once',
  inTurn('sqlite'),
  async (t) => {
    const target = await startTarget({ agents: 0, env: { SVC_FAILPOINTS: 'schedules.ticked:8' } });
    const own = target.own!;
    t.teardown(() => target.close());
    const project = new Project(target);
    await everySecond(project);
    await until('it to die inside a tick', 60_000, async () => (own.server.running ? undefined : true));
    delete own.env.SVC_FAILPOINTS;
    own.server = (await own.startServer()).service;
    await ticked(project, TICKS);
    await eachOnce(t, project);
  },
);
