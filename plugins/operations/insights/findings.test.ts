import t from 'tap';
import type { RunTimes, TimedRun } from '../../engine/runs/contract.ts';
import { Gathering } from './domain/findings.ts';

const NOW = 10_000_000;

const runOf = (n: number, given: Partial<TimedRun> = {}): TimedRun => ({
  run_id: `run_${n}`,
  workflow: 'ship',
  status: 'succeeded',
  created_at: n * 1000,
  started_at: n * 1000,
  finished_at: n * 1000 + 900,
  ...given,
});
const timesOf = (given: Partial<RunTimes>): RunTimes => ({
  runs: [],
  calls: [],
  waits: [],
  failures: [],
  truncated: false,
  ...given,
});

t.test('waits are summed by workflow, kind and name, and the longest run is named', async (t) => {
  const gathering = new Gathering(NOW);
  const [first, second] = [runOf(1), runOf(2, { status: 'waiting', finished_at: null })];
  const wait = { kind: 'signal', name: 'approved' } as const;
  gathering.add(
    timesOf({
      runs: [first, second],
      waits: [
        { ...wait, run_id: 'run_1', armed_at: 1000, ended_at: 1500 },
        { ...wait, run_id: 'run_2', armed_at: NOW - 4000, ended_at: null },
        { ...wait, run_id: 'run_1', name: 'short', armed_at: 0, ended_at: 10 },
      ],
    }),
  );
  t.match(gathering.findings().waits, [
    { workflow: 'ship', ...wait, count: 2, open: 1, total_ms: 4500, longest_ms: 4000, run_id: 'run_2' },
  ]);
  t.equal(gathering.findings().waits.length, 1, 'a wait below a second is left out');
});

t.test('a run that has no agent waits for one, and a wait ends with its run', async (t) => {
  const gathering = new Gathering(NOW);
  const queued = runOf(1, { status: 'queued', created_at: NOW - 2000, started_at: null, finished_at: null });
  const cancelled = runOf(2, { status: 'cancelled', finished_at: 5000 });
  const waits = [{ kind: 'event', name: 'paid', run_id: 'run_2', armed_at: 3000, ended_at: null } as const];
  gathering.add(timesOf({ runs: [queued, cancelled], waits }));
  t.match(gathering.findings().waits, [
    { kind: 'agent', total_ms: 2000, open: 1, run_id: 'run_1' },
    { kind: 'event', total_ms: 2000, open: 0, run_id: 'run_2' },
  ]);
});

t.test('retries that helped once are no finding, nor are those of a run that goes on', async (t) => {
  const failed = { status: 'failed' } as const;
  const failure = (run_id: string, name: string, position = 1) => ({
    ...{ run_id, activity_id: `act_${run_id}`, position, kind: 'step', name },
    ...{ attempts: 3, lost_ms: 30 },
  });
  const gathering = new Gathering(NOW);
  gathering.add(
    timesOf({
      runs: [runOf(1, failed), runOf(2, failed), runOf(3), runOf(4, { status: 'running', finished_at: null })],
      failures: [
        failure('run_1', 'pay'),
        failure('run_2', 'pay'),
        failure('run_4', 'pay'),
        failure('run_2', 'mail', 2),
        failure('run_3', 'mail', 2),
      ],
      calls: [
        { run_id: 'run_3', activity_id: 'act_run_3', position: 2, kind: 'step', name: 'mail', succeeded: true },
        { run_id: 'run_1', activity_id: 'act_run_1', position: 1, kind: 'step', name: 'pay', succeeded: false },
      ].map((call) => ({ ...call, started_at: 0, ended_at: 100 })),
    }),
  );
  t.same(gathering.findings().retries, [
    { workflow: 'ship', kind: 'step', name: 'pay', calls: 2, attempts: 7, lost_ms: 130, run_id: 'run_1' },
  ]);
});

t.test('retries whose outcome was not read are no finding', async (t) => {
  const failed = { status: 'failed' } as const;
  const retried = { position: 1, kind: 'step', name: 'pay', attempts: 3, lost_ms: 30 };
  const failure = (run_id: string) => ({ run_id, activity_id: `act_${run_id}`, ...retried });
  const found = (truncated: boolean) => {
    const gathering = new Gathering(NOW);
    const runs = [runOf(1, failed), runOf(2, failed)];
    gathering.add(timesOf({ runs, failures: [failure('run_1'), failure('run_2')], truncated }));
    return gathering.findings().retries.length;
  };
  t.equal(found(true), 0, 'the calls may have succeeded in the end');
  t.equal(found(false), 1);
});

t.test('a call is slower when the median of the newer half is', async (t) => {
  const gathering = new Gathering(NOW);
  const numbers = Array.from({ length: 16 }, (_, n) => n);
  const callsOf = (name: string, msOf: (n: number) => number) =>
    numbers.map((n) => ({
      ...{ run_id: `run_${n}`, activity_id: `act_${n}`, position: 1, kind: 'step', name, succeeded: true },
      ...{ started_at: n * 1000, ended_at: n * 1000 + msOf(n) },
    }));
  gathering.add(
    timesOf({
      runs: numbers.map((n) => runOf(n)),
      calls: [
        ...callsOf('build', (n) => (n < 8 ? 200 : 500)),
        ...callsOf('steady', () => 300),
        // One outlier is no trend, and a few milliseconds are no loss.
        ...callsOf('outlier', (n) => (n === 15 ? 90_000 : 100)),
        ...callsOf('tiny', (n) => (n < 8 ? 1 : 20)),
      ],
    }),
  );
  t.same(gathering.findings().slower, [
    { workflow: 'ship', kind: 'step', name: 'build', before_ms: 200, after_ms: 500, samples: 8, run_id: 'run_15' },
  ]);
  const few = new Gathering(NOW);
  few.add(timesOf({ runs: numbers.map((n) => runOf(n)), calls: callsOf('build', (n) => n * 1000).slice(0, 15) }));
  t.same(few.findings().slower, [], 'seven calls in each half say nothing');
});

t.test('the ten that cost most are kept', async (t) => {
  const gathering = new Gathering(NOW);
  const waits = Array.from({ length: 25 }, (_, n) => ({
    ...{ run_id: 'run_1', kind: 'signal', name: `s${n}` },
    ...{ armed_at: 0, ended_at: (n + 1) * 1000 },
  })) as RunTimes['waits'];
  gathering.add(timesOf({ runs: [runOf(1)], waits }));
  t.same(
    gathering.findings().waits.map(({ name }) => name),
    Array.from({ length: 10 }, (_, n) => `s${24 - n}`),
  );
});
