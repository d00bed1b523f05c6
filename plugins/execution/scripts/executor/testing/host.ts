import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../../../../kernel/contracts/index.ts';
import { type Assignment, type Executor, Interruptions, type PassEnd } from '../../../agents/contract.ts';
import type { ArmWait } from '../../../../engine/runs/contract.ts';
import { createScriptExecutor, type ExecutorDeps } from '../script-executor.ts';
import { replay, verbs } from './plugins.ts';
import { type Activity, createMaskers } from '../../../../../test/kit/index.ts';

const log: Log = {
  debug() {},
  info() {},
  warn() {},
  error: (fields, message) => console.error(message, fields),
  child: () => log,
};

/** A workflow as tests write it down. */
export interface Script {
  source: string;
  filename?: string;
  interpreter?: string;
  envelope?: Assignment['envelope'];
  environment?: Partial<Assignment['environment']>;
  /** Default: true. */
  trusted?: boolean;
  /** Default: prj_1. */
  project_id?: string;
}

/** An agent with one executor, on real processes. */
export interface Bench {
  executor: Executor;
  runtime_dir: string;
  /** One pass, from claim to end. */
  begin(activity: Activity, script: Script): ReturnType<Executor['start']>;
  /** Passes until the activity is done; `wake` ends each wait at which it parks. */
  finish(activity: Activity, script: Script, wake?: (wait: ArmWait) => void): Promise<PassEnd>;
  close(): Promise<void>;
}

type BenchDeps = Partial<ExecutorDeps> & Pick<ExecutorDeps, 'clock' | 'ids'> & { workdir?: string };

export async function openBench({ workdir, ...parts }: BenchDeps): Promise<Bench> {
  const runtime_dir = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const executor = createScriptExecutor({
    log,
    env: { ...process.env },
    node: process.execPath,
    cli: ['/bin/echo', 'full command line:'],
    verbs: () => verbs,
    replay,
    grace_ms: 300,
    ...parts,
  });
  const agent = {
    id: 'agt_test',
    name: 'tester',
    pid: process.pid,
    workdir: workdir ?? runtime_dir,
    runtime_dir,
    isolate_all: false,
  };
  const begin = (activity: Activity, script: Script) => {
    activity.agent = agent;
    const assignment = assign(activity, script);
    activity.masker = createMaskers().masker(assignment.environment.above.map(({ value }) => value));
    return executor.start(assignment, activity);
  };
  return {
    executor,
    runtime_dir,
    begin,
    async finish(activity, script, wake = () => activity.wake()) {
      const interruptions = new Interruptions();
      for (;;) {
        const ended = await begin(activity, script).result;
        const end = ended.end === 'interrupted' ? interruptions.releaseOrFail('act_1', ended) : ended;
        if (end.end === 'completed' || end.end === 'lost') return end;
        if (end.end !== 'parked') continue;
        if (activity.paused_ms === undefined) wake(activity.armed!);
        activity.paused_ms = undefined;
      }
    },
    async close() {
      await executor.close?.();
      await rm(runtime_dir, { recursive: true, force: true });
    },
  };
}

function assign(activity: Activity, script: Script): Assignment {
  const { source, filename, interpreter, environment } = script;
  return {
    activity_id: 'act_1',
    epoch: ++activity.passes,
    run_id: 'run_1',
    org_id: 'org_1',
    project_id: script.project_id ?? 'prj_1',
    org: 'org',
    project: 'project',
    executor: 'script',
    name: 'main',
    pass: activity.passes - 1,
    spec: { filename: filename ?? null, source, interpreter: interpreter ?? null },
    envelope: script.envelope ?? { type: 'manual' },
    trusted: script.trusted ?? true,
    journal: [...activity.journal],
    lease_ms: 60_000,
    ...(activity.tried && { tried: activity.tried }),
    environment: { below: [], workflow: {}, above: [], ...environment },
  };
}
