import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import type { Assignment, PassEnd } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { IncludedFile, JournalRecord } from '../../../engine/runs/contract.ts';
import { scriptSpec, type Verb } from '../contract.ts';
import { agentPath } from '../domain/environment.ts';
import { createScriptExecutor } from '../executor/script-executor.ts';
import { dryHost, type ReplayProgress } from './dry-host.ts';

export interface DryDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  verbs: () => readonly Verb[];
  replay: Replay;
}

/** A script, and the history that it is replayed on. */
export interface DryRun {
  run_id: string;
  activity_id: string;
  filename: string | undefined;
  source: string;
  interpreter: string | undefined;
  env: Record<string, string>;
  /** The variables of the project and its org that the run sees. A server from before them sends none. */
  vars?: Readonly<Record<string, string>>;
  /** Variables that contained credentials; they get a placeholder. */
  credentials: readonly string[];
  envelope: Assignment['envelope'];
  records: readonly JournalRecord[];
  /** The included files, and their contents by digest. */
  files?: readonly IncludedFile[];
  contents?: ReadonlyMap<string, Buffer>;
  timeout_ms: number;
}

export interface DryReplayResult extends ReplayProgress {
  end: PassEnd;
  timed_out: boolean;
}

/** Replaces the value of a credential. */
const PLACEHOLDER = '***';
const GRACE_MS = 500;
/** What `svc` runs for anything that is not a verb, because the full program would reach the server. */
const NO_CLI = 'console.error("svc check --replay: only verbs are answered here, from the history"); process.exit(1);';

/**
 * Replays a script on a history, in an empty folder, without credentials and without the caller's environment except
 * `PATH` and the language. Its own lines are run; calls are answered from the history, and nothing is executed for
 * calls that are not in it.
 */
export async function runDryReplay(deps: DryDeps, run: DryRun): Promise<DryReplayResult> {
  const { clock, ids, log, verbs, replay } = deps;
  const runtime_dir = await mkdtemp(join(tmpdir(), 'svc-dry-'));
  const workdir = join(runtime_dir, 'work');
  await mkdir(workdir);
  const executor = createScriptExecutor({
    clock,
    ids,
    log,
    env: { PATH: agentPath(deps.env), LANG: deps.env.LANG, TZ: deps.env.TZ, HOME: workdir, TMPDIR: workdir },
    node: process.execPath,
    cli: [process.execPath, '-e', NO_CLI],
    verbs,
    replay,
    grace_ms: GRACE_MS,
  });
  try {
    const seen: ReplayProgress = { read: 0, last_call: undefined };
    const agent = { id: 'agt_dry', name: 'svc check', pid: process.pid, workdir, runtime_dir, isolate_all: false };
    const pass = executor.start(makeAssignment(run), dryHost(agent, seen, run.contents));
    let timed_out = false;
    const cancel = clock.after(run.timeout_ms, () => {
      timed_out = true;
      pass.stop('killed');
    });
    const end = await pass.result.finally(cancel);
    return { ...seen, end, timed_out };
  } finally {
    await executor.close();
    await rm(runtime_dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeAssignment(run: DryRun): Assignment {
  const { run_id, activity_id, filename, source, interpreter, env, vars = {}, envelope, records, files } = run;
  const below = Object.entries(vars).map(([name, value]) => ({ name, value, secret: false, in_vars: true }) as const);
  const placeholders = run.credentials.map((name) => ({ name, value: PLACEHOLDER, secret: false }));
  return {
    run_id,
    activity_id,
    envelope,
    org_id: '',
    project_id: '',
    org: '',
    project: '',
    epoch: 1,
    pass: 0,
    executor: 'script',
    name: 'main',
    trusted: true,
    lease_ms: Number.MAX_SAFE_INTEGER,
    spec: scriptSpec({ filename, source, interpreter, args: envelope.args as string[] | undefined, files }),
    journal: [...records],
    environment: { below, workflow: env, above: placeholders },
  };
}
