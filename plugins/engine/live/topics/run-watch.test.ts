import t from 'tap';
import type { RunPart, RunVersions } from '../../runs/contract.ts';
import { messageLog, VirtualClock } from '../../../../test/kit/index.ts';
import { RunWatch } from './run-watch.ts';

type Listen = (over: boolean, part: RunPart | undefined) => void;

/** Runs whose versions a test changes, as another server would. */
function world() {
  const clock = new VirtualClock();
  const { log, lines } = messageLog();
  const state = { versions: new Map<string, RunVersions>(), polls: [] as string[][], fail: false };
  const listeners = new Map<string, Listen>();
  const watch = new RunWatch({
    clock,
    log,
    wakeups: {
      onRun(run_id, listen) {
        listeners.set(run_id, listen);
        return () => void listeners.delete(run_id);
      },
    },
    feed: {
      async versions(run_ids) {
        state.polls.push([...run_ids]);
        if (state.fail) throw new Error('it is away');
        return new Map(run_ids.flatMap((id) => (state.versions.has(id) ? [[id, state.versions.get(id)!]] : [])));
      },
    },
  });
  const versions = (run: string, steps: string, log_at: string) => ({ project_id: 'prj_1', run, steps, log: log_at });
  return { clock, lines, state, listeners, watch, versions };
}

t.test('what another server changed is told by its parts, and what did not change is not', async (t) => {
  const { clock, state, watch, versions } = world();
  state.versions.set('run_1', versions('running 1', '1', '0'));
  const told: string[] = [];
  const stop = await watch.watch('prj_1', 'run_1', async (parts) => void told.push([...parts].join(' ')));
  await clock.advance(3000);
  t.same(told, [], 'what was before is not told');
  state.versions.set('run_1', versions('running 1', '1', '4'));
  await clock.advance(1100);
  state.versions.set('run_1', versions('waiting 2', '2', '4'));
  await clock.advance(1100);
  t.same(told, ['log', 'run steps']);
  await stop();
  const polls = state.polls.length;
  await clock.advance(10_000);
  t.equal(state.polls.length, polls, 'nobody looks, and nothing is read');
  t.equal(clock.armed, 0);
});

t.test('many runs are looked at together', async (t) => {
  const { clock, state, watch } = world();
  const stops = [];
  for (let n = 0; n < 50; n++) stops.push(await watch.watch('prj_1', `run_${n}`, async () => {}));
  state.polls.length = 0;
  await clock.advance(2000);
  t.ok(state.polls.length <= 5, `${state.polls.length} looks in 2 s`);
  t.ok(state.polls.every((ids) => ids.length === 50));
  await Promise.all(stops.map((stop) => stop()));
  t.equal(watch.size, 0);
});

t.test('wake-ups are gathered for a moment; a failure to tell is not forgotten', async (t) => {
  const { clock, lines, listeners, watch } = world();
  const told: string[] = [];
  let fail = true;
  const stop = await watch.watch('prj_1', 'run_1', async (parts) => {
    if (fail) throw new Error('it is away');
    told.push([...parts].sort().join(' '));
  });
  await clock.advance(100);
  for (const part of ['log', 'log', 'steps', undefined] as const) listeners.get('run_1')!(false, part);
  await clock.advance(60);
  fail = false;
  await clock.advance(5000);
  t.same(told, ['log run steps']);
  t.same(lines, ['reading live runs failed; retrying', 'live runs are read again']);
  listeners.get('run_1')!(true, 'run');
  await clock.advance(60);
  t.same(told.at(-1), 'run', 'within 60 ms');
  await stop();
});
