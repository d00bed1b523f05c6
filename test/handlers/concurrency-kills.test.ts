import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(600_000);

const EVENTS = 10;
/** The server dies in the transaction that admits a delivery the third time. */
const KILL = 'handlers.admitted:3';

interface Ended {
  status: string;
  created_at: string;
  finished_at?: string;
  trigger: { event: string };
}

/** A server is killed while deliveries wait for the limit of their handler, and another one goes on. */
async function killWhileAdmitting(t: Test, target: Target): Promise<void> {
  const project = new Project(target);
  await project.ask('PUT', 'handlers/one', { on: ['job'], source: 'true', concurrency: { limit: 1 } });
  const emitted = await sendUntilKilled(t, target, EVENTS, async (n) => {
    const { event } = await project.ask('POST', 'events', { type: 'job', payload: n });
    return event as string;
  });
  const runs = await until('every event to have its run', 120_000, async () => {
    const found = await project.all<Ended>('runs?', 'runs');
    return found.length >= emitted.length && found.every(({ status }) => status === 'succeeded') ? found : undefined;
  });
  const started = runs.map(({ trigger }) => trigger.event);
  t.equal(new Set(started).size, started.length, 'no event has two runs');
  t.same(
    emitted.filter((event) => !started.includes(event)),
    [],
    'no acknowledged event is lost',
  );
  const ordered = runs.toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  t.same(
    ordered.slice(1).filter(({ created_at }, at) => Date.parse(created_at) < Date.parse(ordered[at]!.finished_at!)),
    [],
    'each begins after the one before it has ended',
  );
}

testKilledServer(
  'killed while it admits a delivery, the server starts each event once and one at a time',
  KILL,
  killWhileAdmitting,
);
