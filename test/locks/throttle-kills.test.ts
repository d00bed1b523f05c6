import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(600_000);

const RUNS = 6;
const THROTTLE = { limit: 2, period: '1s' };
const PERIOD_MS = 1000;
/** The server dies in the first transaction that grants the group because the time of its throttle has come. */
const KILL = 'locks.granted:1';

interface Ended {
  status: string;
  created_at: string;
  started_at: string;
}

/** Kills a server while a throttled group starts its next run, and expects of another one that it goes on in time. */
async function killWhileStarting(t: Test, target: Target): Promise<void> {
  const project = new Project(target);
  const body = { filename: 'a.sh', source: 'true', concurrency: { group: 'kills', throttle: THROTTLE } };
  const submitted = await sendUntilKilled(t, target, RUNS, (n) =>
    project.ask('POST', 'runs', { ...body, idempotency_key: `kill-${n}` }),
  );
  const runs = await until('every run to succeed', 120_000, async () => {
    const found = await project.all<Ended>('runs?', 'runs');
    return found.length >= submitted.length && found.every(({ status }) => status === 'succeeded') ? found : undefined;
  });
  // A run may be claimed later than it is granted, but never earlier.
  const took_ms =
    Math.max(...runs.map((run) => Date.parse(run.started_at))) -
    Math.min(...runs.map((run) => Date.parse(run.created_at)));
  const least_ms = (Math.ceil(runs.length / THROTTLE.limit) - 1) * PERIOD_MS;
  t.ok(took_ms >= least_ms, `${runs.length} runs start within ${took_ms} ms`);
  t.same((await project.ask('GET', 'locks')).locks, [], 'no run holds the group or waits for it');
}

testKilledServer(
  'a server that is killed while it starts a throttled run loses no run, and the next one keeps the throttle',
  KILL,
  killWhileStarting,
);
