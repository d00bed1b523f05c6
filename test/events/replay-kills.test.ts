import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import { startTarget, type Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { openMysql } from '../support/mysql-server.ts';

t.setTimeout(600_000);

const EVENTS = 7;
/** Needs what no agent has: its runs stay queued, and are counted. */
const LEDGER = { on: ['order.paid'], source: 'true', requires: ['nowhere'] };
/** The server dies in the transaction of the fourth delivery, after its run was written. */
const KILL = 'handlers.replayed:4';

/** Starts a replay in which the server dies. */
async function killedInReplay(target: Target) {
  const project = new Project(target);
  for (let n = 0; n < EVENTS; n++) await project.ask('POST', 'events', { type: 'order.paid', payload: n });
  await project.ask('PUT', 'handlers/ledger', LEDGER);
  const { replay } = await project.ask('POST', 'event-replays', { type: 'order.paid' });
  await until('the server to die in the replay', 60_000, async () => (target.own!.server.running ? undefined : true));
  delete target.own!.env.SVC_FAILPOINTS;
  return { own: target.own!, project, replay: replay as string };
}

/** Each event has one replay and one run, and the report says so. */
async function eachOnce(t: Test, project: Project, replay: string): Promise<void> {
  const report = await until('the replay to end', 60_000, async () => {
    const shown = await project.ask('GET', `event-replays/${replay}`);
    return shown.state === 'done' ? shown : undefined;
  });
  t.match(report, { delivered: EVENTS, declined: 0, refused: 0 });
  const events = await project.all<{ event: string }>('events?type=order.paid&', 'events');
  for (const { event } of events) {
    const { replays } = await project.ask('GET', `events/${event}`);
    t.match(replays, [{ handler: 'ledger', state: 'delivered' }]);
    t.equal(replays.length, 1);
  }
  const runs = await project.all<{ trigger: { event: string } }>('runs?', 'runs');
  t.same(runs.map(({ trigger }) => trigger.event).sort(), events.map(({ event }) => event).sort(), 'one run each');
}

t.test('SQLite: the only server is killed in the middle of a replay, and each event is delivered once', async (t) => {
  const target = await startTarget({ agents: 0, env: { SVC_FAILPOINTS: KILL } });
  t.teardown(() => target.close());
  const { own, project, replay } = await killedInReplay(target);
  t.equal(own.server.child.signalCode, 'SIGKILL');
  own.server = (await own.startServer()).service;
  await eachOnce(t, project, replay);
});

t.test('MySQL: a server is killed in the middle of a replay, two others finish it, each event once', async (t) => {
  const database_url = await openMysql(t);
  if (database_url === undefined) return;
  const target = await startTarget({ database_url, agents: 0, env: { SVC_FAILPOINTS: KILL } });
  t.teardown(() => target.close());
  const { own, project, replay } = await killedInReplay(target);
  own.server = (await own.startServer()).service;
  const other = await own.startServer('0');
  await eachOnce(t, project, replay);
  await other.service.kill('SIGKILL');
  return undefined;
});
