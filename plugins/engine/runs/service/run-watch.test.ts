import t from 'tap';
import { RunWatch } from './run-watch.ts';
import { createWakeups } from './wakeups.ts';
import type { RunVersion } from '../store/read/run-lookups.ts';
import { messageLog, VirtualClock } from '../../../../test/kit/index.ts';

const LOGGED = { project_id: 'prj_1', part: 'log' } as const;

function world() {
  const clock = new VirtualClock();
  const { log, lines } = messageLog();
  const wakeups = createWakeups(log);
  const state = {
    versions: new Map<string, RunVersion>(),
    polls: [] as string[][],
    failure: undefined as Error | undefined,
  };
  const watch = new RunWatch({
    wakeups,
    clock,
    log,
    versions: async (ids) => {
      state.polls.push([...ids]);
      if (state.failure) throw state.failure;
      return new Map(ids.flatMap((id) => (state.versions.has(id) ? [[id, state.versions.get(id)!]] : [])));
    },
  });
  return { clock, lines, wakeups, state, watch };
}

t.test('a change in this process is told at once, one of another server by polling', async (t) => {
  const { clock, wakeups, state, watch } = world();
  state.versions.set('run_1', { text: 'running 0', over: false });
  let told = 0;
  const off = watch.watch('run_1', () => {
    told += 1;
  });
  wakeups.run('run_1', LOGGED);
  wakeups.run('run_2', LOGGED);
  t.equal(told, 1);
  await clock.advance(5000);
  t.equal(told, 2, 'the first poll tells once, for what happened before');
  state.versions.set('run_1', { text: 'running 1', over: false });
  await clock.advance(1000);
  t.equal(told, 3);
  off();
  wakeups.run('run_1', LOGGED);
  await clock.advance(5000);
  t.equal(told, 3);
});

t.test('many followers cost one statement per 200 runs, and nobody none', async (t) => {
  const { clock, state, watch } = world();
  const offs = Array.from({ length: 1000 }, (_, i) => watch.watch(`run_${i % 250}`, () => {}));
  t.equal(watch.size, 250);
  await clock.advance(200);
  t.same(
    state.polls.map((ids) => ids.length),
    [200, 50],
  );
  for (const off of offs) off();
  for (const off of offs) off();
  t.equal(watch.size, 0);
  t.equal(clock.armed, 0);
  await clock.advance(5000);
  t.equal(state.polls.length, 2);
});

t.test('leaving and coming again keeps one poll at a time', async (t) => {
  const { clock, state, watch } = world();
  for (let i = 0; i < 50; i++) watch.watch('run_1', () => {})();
  const off = watch.watch('run_1', () => watch.watch('run_2', () => {})());
  state.versions.set('run_1', { text: 'running 0', over: false });
  await clock.advance(10_000);
  t.ok(state.polls.length <= 14, `${state.polls.length} polls in ten seconds`);
  t.equal(clock.armed, 1);
  off();
});

t.test('a failing database is logged once and polled again', async (t) => {
  const { clock, lines, state, watch } = world();
  let told = 0;
  const off = watch.watch('run_1', () => {
    told += 1;
  });
  state.failure = new Error('gone away');
  await clock.advance(10_000);
  t.same(lines, ['watching runs failed; retrying']);
  state.failure = undefined;
  state.versions.set('run_1', { text: 'failed 1', over: true });
  await clock.advance(1000);
  t.equal(told, 1);
  off();
});

t.test('the end is told as one, from here and from another server', async (t) => {
  const { clock, wakeups, state, watch } = world();
  const told: boolean[] = [];
  const off = watch.watch('run_1', (over) => told.push(over));
  wakeups.run('run_1', LOGGED);
  wakeups.run('run_1', { ...LOGGED, over: true });
  t.same(told, [false, true]);
  state.versions.set('run_1', { text: 'running 0', over: false });
  await clock.advance(1000);
  state.versions.set('run_1', { text: 'failed 0', over: true });
  await clock.advance(1000);
  t.same(told, [false, true, false, true]);
  off();
});
