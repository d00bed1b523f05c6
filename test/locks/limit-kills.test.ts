import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(600_000);

const RUNS = 8;
const LIMIT = 2;
/** The server dies in the second transaction that grants the group to a waiting run. */
const KILL = 'locks.granted:2';

interface Ended {
  status: string;
  started_at: string;
  finished_at?: string;
}

/** Kills a server while it grants the group, starts another one, and expects that every run ends and that the limit holds. */
async function killWhileGranting(t: Test, target: Target): Promise<void> {
  const project = new Project(target);
  const body = { filename: 'a.sh', source: 'svc sleep 100ms', concurrency: { group: 'kills', limit: LIMIT } };
  const submitted = await sendUntilKilled(t, target, RUNS, (n) =>
    project.ask('POST', 'runs', { ...body, idempotency_key: `kill-${n}` }),
  );
  const runs = await until('every run to end', 120_000, async () => {
    const found = await project.all<Ended>('runs?', 'runs');
    return found.length >= submitted.length && found.every(({ status }) => status === 'succeeded') ? found : undefined;
  });
  const beside = runs.map(
    (run) =>
      runs.filter((other) => other.started_at <= run.started_at && run.started_at < (other.finished_at ?? '')).length,
  );
  t.ok(Math.max(...beside) <= LIMIT, `${Math.max(...beside)} at once`);
  t.same((await project.ask('GET', 'locks')).locks, [], 'no run holds the group');
}

testKilledServer(
  'a server that is killed while it grants a group loses no run and keeps the limit',
  KILL,
  killWhileGranting,
);
