import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { openMysql } from '../support/mysql-server.ts';

t.setTimeout(600_000);

const POLICY = { limit: 2, backoff: '1s' };
const FAILING = { on: ['order.paid'], source: 'exit 3', retry: POLICY };
/** Waits until somebody cancels it. */
const PARKED = { on: ['order.sent'], source: 'svc wait-signal go', retry: POLICY };

interface Run {
  run_id: string;
  status: string;
  rerun_of?: string;
  trigger: { handler?: string };
}

const runsOf = async (project: Project, handler: string): Promise<Run[]> => {
  const runs = await project.all<Run>('runs?', 'runs');
  return runs.filter(({ trigger }) => trigger.handler === handler).reverse();
};

/** The server is killed while a retry is due, and `others` servers start besides the next one. */
async function retriedOnce(t: Test, target: Target, others: number): Promise<void> {
  const own = target.own!;
  const project = new Project(target);
  await project.ask('PUT', 'handlers/failing', FAILING);
  await project.ask('PUT', 'handlers/parked', PARKED);
  t.match((await project.ask('GET', 'handlers/failing')).retry, { ...POLICY, backoff_max: '1h' });
  await project.ask('POST', 'events', { type: 'order.sent' });
  await project.ask('POST', 'events', { type: 'order.paid' });
  const failed = async () => ((await runsOf(project, 'failing'))[0]?.status === 'failed' ? true : undefined);
  await until('the first run to fail', 60_000, failed);
  t.same((await project.ask('GET', 'dead-letters')).dead_letters, [], 'it will be retried');
  await own.server.kill('SIGKILL');
  own.server = (await own.startServer()).service;
  const further = await Promise.all(Array.from({ length: others }, () => own.startServer('0')));
  const letters = await until('the dead letter', 60_000, async () => {
    const { dead_letters } = await project.ask('GET', 'dead-letters');
    return dead_letters.length > 0 ? dead_letters : undefined;
  });
  const runs = await runsOf(project, 'failing');
  t.same(
    runs.map(({ rerun_of }) => rerun_of),
    [undefined, runs[0]!.run_id, runs[1]!.run_id],
    'each attempt is a rerun of the one before it',
  );
  t.match(letters, [{ handler: 'failing', run_id: runs[2]!.run_id }]);
  t.equal(letters.length, 1);
  const [parked] = await runsOf(project, 'parked');
  await project.ask('POST', `runs/${parked!.run_id}/cancel`, {});
  await until('the cancellation', 60_000, async () =>
    (await runsOf(project, 'parked'))[0]?.status === 'cancelled' ? true : undefined,
  );
  await project.ask('POST', `dead-letters/${letters[0].dead_letter}/redeliver`, {});
  await until('the retries of the redelivered event', 60_000, async () =>
    (await project.ask('GET', 'dead-letters')).dead_letters.length > 0 ? true : undefined,
  );
  t.equal((await runsOf(project, 'failing')).length, 6, 'a redelivery is retried as often');
  t.equal((await runsOf(project, 'parked')).length, 1, 'a run that somebody cancels is not retried');
  for (const { service } of further) await service.kill('SIGKILL');
}

t.test('SQLite: the only server is killed while a retry waits, and each attempt is made once', async (t) => {
  const target = await startTarget({ agents: 1 });
  t.teardown(() => target.close());
  await retriedOnce(t, target, 0);
});

t.test('MySQL: a server is killed while a retry waits, two others go on, and each attempt is made once', async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  const target = await startTarget({ database_url, agents: 1 });
  t.teardown(() => target.close());
  await retriedOnce(t, target, 1);
  return undefined;
});
