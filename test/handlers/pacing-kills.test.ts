import t, { type Test } from 'tap';
import { until } from '../../features/support/process.ts';
import type { Target } from '../../features/support/target.ts';
import { Project } from '../schedules/project.ts';
import { sendUntilKilled, testKilledServer } from '../support/killed-server.ts';

t.setTimeout(900_000);

interface Ended {
  status: string;
  trigger: { event: string; batch?: number };
}

interface Shown {
  deliveries: { reaction: string; state: string; run_id?: string }[];
}

interface Kill {
  what: string;
  /** Where the server dies. */
  at: string;
  options: object;
  events: number;
}

const KILLS: readonly Kill[] = [
  {
    what: 'lets a delivery pass its throttle',
    at: 'handlers.passed:2',
    options: { throttle: { limit: 1, period: '1s' } },
    events: 5,
  },
  {
    what: 'ends a burst',
    at: 'handlers.passed:1',
    options: { debounce: { period: '1s', key: 'event.payload.group' } },
    events: 6,
  },
  {
    what: 'makes a batch',
    at: 'handlers.passed:2',
    options: { batch: { size: 3, timeout: '1s' }, concurrency: { limit: 1 } },
    events: 8,
  },
  {
    what: 'starts the runs of batches',
    at: 'handlers.apply:2',
    options: { batch: { size: 2, timeout: '1s' } },
    events: 6,
  },
];

/** A server is killed while deliveries wait for a time, and another one goes on. */
async function killWhilePacing(t: Test, target: Target, { options, events }: Kill): Promise<void> {
  const project = new Project(target);
  await project.ask('PUT', 'handlers/one', { on: ['job'], source: 'true', ...options });
  const emitted = await sendUntilKilled(t, target, events, async (n) => {
    const { event } = await project.ask('POST', 'events', { type: 'job', payload: { group: n % 2 } });
    return event as string;
  });
  const shown = await until('every event to be settled', 120_000, async () => {
    const found: Shown[] = [];
    for (const event of emitted) found.push((await project.ask('GET', `events/${event}`)) as Shown);
    return found.every(({ deliveries }) => deliveries.every(({ state }) => state !== 'queued')) ? found : undefined;
  });
  const runs = await until('every run to succeed', 120_000, async () => {
    const found = await project.all<Ended>('runs?', 'runs');
    return found.every(({ status }) => status === 'succeeded') ? found : undefined;
  });
  const started = runs.map(({ trigger }) => trigger.event);
  t.equal(new Set(started).size, started.length, 'no event starts two runs');
  const delivered = shown.flatMap(({ deliveries }) => deliveries.filter(({ state }) => state === 'delivered'));
  const merged = shown.flatMap(({ deliveries }) => deliveries.filter(({ state }) => state === 'declined'));
  t.equal(delivered.length + merged.length, emitted.length, 'no acknowledged event is lost');
  if ('debounce' in options) t.ok(merged.length < emitted.length, 'the last event of each burst starts a run');
  else t.same(merged, []);
  const in_runs = runs.reduce((sum, { trigger }) => sum + (trigger.batch ?? 1), 0);
  t.ok(in_runs >= delivered.length, 'each event is in a run');
}

for (const kill of KILLS)
  testKilledServer(
    `killed while it ${kill.what}, the server loses nothing and starts nothing twice`,
    kill.at,
    (t, target) => killWhilePacing(t, target, kill),
  );
