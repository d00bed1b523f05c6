import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Expressions } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../agents/contract.ts';
import { type ProgramEnd, type Programs, wholeMachine } from '../../scripts/contract.ts';
import { systemClock } from '../../../test/kit/index.ts';
import type { JobSpec, StepSpec } from '../domain/job-spec.ts';
import { JobPass } from './job-pass.ts';

const step = (name: string, more: Partial<StepSpec> = {}): StepSpec => ({
  ...{ id: name, name, run: 'true', if: null, always: false, env: {}, attempts: 1, backoff_ms: 0 },
  ...{ timeout_ms: null, continue_on_error: false, working_directory: '.' },
  ...more,
});

/** Starts the steps of a job with programs that end as they are told. Answers which were started, and what it came to. */
async function work(t: Test, steps: StepSpec[], end: (name: string) => number, held: () => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-job-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'source'));
  const started: string[] = [];
  const programs: Programs = {
    has: async () => true,
    isolation: async () => undefined,
    close: async () => undefined,
    open: async () => ({
      folder,
      room: wholeMachine,
      give: async () => undefined,
      makeFolder: async (path) => void (await mkdir(path)),
      environment: () => ({}),
      find: async (program) => program,
      start({ argv }) {
        const [, , source = ''] = argv;
        const name = steps[Number(/step-(\d+)-/.exec(source)![1])]!.name;
        started.push(name);
        const ended: ProgramEnd = { exit_code: end(name), signal: null, tail: '' };
        return { ended: Promise.resolve(ended), stop: () => undefined } as never;
      },
      gone: () => undefined,
      close: async () => undefined,
    }),
  };
  const spec: JobSpec = {
    ...{ version: 1, name: 'job', key: 'job', env: {}, credentials: {}, steps, outputs: {}, artifacts: [] },
    ...{ checkout: null, scope: {} },
  };
  const assignment = { run_id: 'run_1', activity_id: 'act_1', journal: [], spec } as unknown as Assignment;
  const host = { log: () => undefined, held } as unknown as ActivityHost;
  const parts = { clock: systemClock, expressions: {} as Expressions, programs, verbs: new Map() };
  const pass = new JobPass(parts, assignment, host);
  return { started, end: await pass.ended };
}

t.test('steps begin one after the other', async (t) => {
  const { started, end } = await work(
    t,
    [step('one'), step('two')],
    () => 0,
    () => true,
  );
  t.same(started, ['one', 'two']);
  t.match(end, { end: 'completed', completion: { status: 'succeeded' } });
});

t.test('no step begins under a claim of the past, and nothing is reported', async (t) => {
  for (const [what, steps, exit_code] of [
    ['the next step', [step('one'), step('two', { always: true })], 0],
    ['a step for failures', [step('one'), step('two', { always: true })], 1],
    ['the next attempt', [step('one', { attempts: 3 })], 1],
    ['the end of the job', [step('one')], 0],
  ] as const) {
    let ours = true;
    const { started, end } = await work(
      t,
      [...steps],
      () => {
        // As after a long sleep of the agent: its lease has gone by while the program ended.
        ours = false;
        return exit_code;
      },
      () => ours,
    );
    t.same(started, ['one'], what);
    t.same(end, { end: 'lost' }, what);
  }
  const { started, end } = await work(
    t,
    [step('one')],
    () => 0,
    () => false,
  );
  t.same([started, end], [[], { end: 'lost' }], 'the first step neither');
});
