import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { Assignment, PassEnd } from '../../agents/contract.ts';
import type { Replay } from '../../replay/contract.ts';
import type { IncludedFile, JournalRecord } from '../../runs/contract.ts';
import { scriptSpec, type Verb } from '../contract.ts';
import { agentPath } from '../domain/environment.ts';
import { createScriptExecutor } from '../executor/script-executor.ts';
import { dryHost, type Seen } from './dry-host.ts';

export interface DryParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  verbs: () => readonly Verb[];
  replay: Replay;
}

/** A script, and the history that it is played on. */
export interface DryRun {
  run_id: string;
  activity_id: string;
  filename: string | undefined;
  source: string;
  interpreter: string | undefined;
  env: Record<string, string>;
  /** Variables that had the values of credentials; they get a placeholder. */
  credentials: readonly string[];
  envelope: Assignment['envelope'];
  records: readonly JournalRecord[];
  /** What lies beside it, and the contents by their digests. */
  files?: readonly IncludedFile[];
  contents?: ReadonlyMap<string, Buffer>;
  timeout_ms: number;
}

export interface Played extends Seen {
  end: PassEnd;
  timed_out: boolean;
}

/** In the place of the value of a credential. */
const PLACEHOLDER = '***';
const GRACE_MS = 500;
/** What `svc` does when it is called with something that is no verb: the full program would reach the server. */
const NO_CLI = 'console.error("svc check --replay: only verbs are answered here, from the history"); process.exit(1);';

/**
 * Plays a script on a history, in an empty folder, without credentials and without the environment of the caller but for
 * `PATH` and the language. Its own lines are run; calls are answered from the history, and nothing is carried out for one
 * that is not there.
 */
export async function playDry(parts: DryParts, run: DryRun): Promise<Played> {
  const { clock, ids, log, verbs, replay } = parts;
  const runtime_dir = await mkdtemp(join(tmpdir(), 'svc-dry-'));
  const workdir = join(runtime_dir, 'work');
  await mkdir(workdir);
  const executor = createScriptExecutor({
    clock,
    ids,
    log,
    env: { PATH: agentPath(parts.env), LANG: parts.env.LANG, TZ: parts.env.TZ, HOME: workdir, TMPDIR: workdir },
    node: process.execPath,
    cli: [process.execPath, '-e', NO_CLI],
    verbs,
    replay,
    grace_ms: GRACE_MS,
  });
  try {
    const seen: Seen = { read: 0, last: undefined };
    const agent = { id: 'agt_dry', name: 'svc check', pid: process.pid, workdir, runtime_dir, isolate_all: false };
    const pass = executor.start(assignmentOf(run), dryHost(agent, seen, run.contents));
    let timed_out = false;
    const cancel = clock.after(run.timeout_ms, () => {
      timed_out = true;
      pass.stop('killed');
    });
    const end = await pass.ended.finally(cancel);
    return { ...seen, end, timed_out };
  } finally {
    await executor.close();
    await rm(runtime_dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function assignmentOf(run: DryRun): Assignment {
  const { run_id, activity_id, filename, source, interpreter, env, envelope, records, files } = run;
  const own = run.credentials.map((name) => ({ name, value: PLACEHOLDER, secret: false }));
  return {
    ...{ run_id, activity_id, envelope, org_id: '', project_id: '', org: '', project: '' },
    ...{ epoch: 1, pass: 0, executor: 'script', name: 'main', trusted: true, lease_ms: Number.MAX_SAFE_INTEGER },
    spec: scriptSpec({ filename, source, interpreter, args: envelope.args as string[] | undefined, files }),
    journal: [...records],
    environment: { below: [], workflow: env, above: own },
  };
}
