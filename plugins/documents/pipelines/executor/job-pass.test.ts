import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock, Expressions } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment } from '../../../execution/agents/contract.ts';
import { type ProgramExit, ProgramLost, type Programs, unrestrictedDisk } from '../../../execution/scripts/contract.ts';
import { systemClock } from '../../../../test/kit/index.ts';
import type { JobSpec, StepSpec } from '../domain/job-spec.ts';
import { JobPass } from './job-pass.ts';

const step = (name: string, more: Partial<StepSpec> = {}): StepSpec => ({
  id: name,
  name,
  run: 'true',
  if: null,
  always: false,
  env: {},
  attempts: 1,
  backoff_ms: 0,
  timeout_ms: null,
  continue_on_error: false,
  working_directory: '.',
  ...more,
});

/** Starts the steps of a job with programs that end as they are told. Answers which were started, and what it came to. */
async function work(t: Test, steps: StepSpec[], end: (name: string) => number | Error, held: () => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-job-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'source'));
  const started: string[] = [];
  const programs = programsOf(folder, (source) => {
    const name = steps[Number(/step-(\d+)-/.exec(source)![1])]!.name;
    started.push(name);
    const how = end(name);
    const ended: Promise<ProgramExit> =
      how instanceof Error ? Promise.reject(how) : Promise.resolve({ exit_code: how, signal: null, tail: '' });
    return { ended, stop: () => undefined };
  });
  const pass = jobOf(steps, { clock: systemClock, programs }, {}, held);
  return { started, end: await pass.result };
}

/** A folder in which programs are not started but answered. */
const programsOf = (folder: string, start: (source: string) => object): Programs => ({
  has: async () => true,
  isolation: async () => undefined,
  close: async () => undefined,
  open: async () => ({
    folder,
    disk_view: unrestrictedDisk,
    grantAccess: async () => undefined,
    createFolder: async (path) => void (await mkdir(path)),
    createParentFolder: async (path) => void (await mkdir(path)),
    createReadableFolder: () => mkdtemp(join(folder, 'readable-')),
    environment: () => ({}),
    find: async (program) => program,
    start: ({ argv: [, , source = ''] }) => start(source) as never,
    checkOut: async () => undefined,
    cancelCalls: () => undefined,
    close: async () => undefined,
  }),
});

function jobOf(
  steps: StepSpec[],
  parts: { clock: Clock; programs: Programs },
  more: Partial<JobSpec> = {},
  held = () => true,
): JobPass {
  const spec: JobSpec = {
    version: 1,
    name: 'job',
    key: 'job',
    env: {},
    credentials: {},
    steps,
    outputs: {},
    artifacts: [],
    checkout: null,
    scope: {},
    ...more,
  };
  const assignment = { run_id: 'run_1', activity_id: 'act_1', journal: [], spec } as unknown as Assignment;
  const host = { log: () => undefined, hasClaim: held } as unknown as ActivityHost;
  return new JobPass({ ...parts, expressions: {} as Expressions, verbs: new Map() }, assignment, host);
}

t.test('a job ends when its time is over, and nothing of it begins any more', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-job-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'source'));
  const timers = new Map<number, () => void>();
  const cancelled: number[] = [];
  const clock: Clock = {
    ...systemClock,
    after(delay_ms, due) {
      timers.set(delay_ms, due);
      return () => cancelled.push(delay_ms);
    },
  };
  let stopped = 0;
  const programs = programsOf(folder, () => {
    const ended = Promise.withResolvers<ProgramExit>();
    queueMicrotask(() => timers.get(6000)!());
    return {
      ended: ended.promise,
      stop() {
        stopped += 1;
        ended.resolve({ exit_code: 143, signal: 'SIGTERM', tail: '' });
      },
    };
  });
  const steps = [step('one', { attempts: 3, backoff_ms: 50 }), step('two', { always: true })];
  const pass = jobOf(steps, { clock, programs }, { limit_ms: 6000 });
  t.match(await pass.result, {
    end: 'completed',
    completion: { status: 'failed', code: 'job_timeout', message: /took longer than 6s, .*SVC_JOB_TIMEOUT/ },
  });
  t.equal(stopped, 1);
  t.ok(cancelled.includes(6000), 'the timer goes with the job');
});

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

t.test('a program that was lost is no failure of its step: the job is given back', async (t) => {
  const failure = { status: 'failed', code: 'lost', message: 'again and again' } as const;
  const interrupted = { end: 'interrupted', at: 0, otherwise: failure } as const;
  for (const more of [{}, { attempts: 3 }, { continue_on_error: true }]) {
    const steps = [step('one', more), step('two', { always: true })];
    const { started, end } = await work(
      t,
      steps,
      () => new ProgramLost('its keeper was killed', interrupted),
      () => true,
    );
    t.same(started, ['one']);
    t.equal(end, interrupted);
  }
});

t.test('a step that creates the folder for the outputs of a later one fails its job, and not its agent', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-job-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'source'));
  const programs = programsOf(folder, () => ({
    ended: mkdir(join(folder, 'outputs/1-1')).then(() => ({ exit_code: 0, signal: null, tail: '' })),
    stop: () => undefined,
  }));
  const { result } = jobOf([step('one'), step('two')], { clock: systemClock, programs });
  t.match(await result, {
    end: 'completed',
    completion: { status: 'failed', code: 'step_invalid', message: /step two cannot be created \(EEXIST\)/ },
  });
});
