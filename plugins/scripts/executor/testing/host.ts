import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineError, type Log } from '../../../../kernel/contracts/index.ts';
import { createMaskers } from '../../../masking/service/maskers.ts';
import type { ActivityHost, Assignment, Executor, PassEnd } from '../../../agents/contract.ts';
import type { ArmWait, JournaledCall, JournalRecord, Json } from '../../../runs/contract.ts';
import { verbs } from '../../verbs/index.ts';
import { createScriptExecutor, type ExecutorParts } from '../script-executor.ts';

const leaseLost = defineError({ code: 'lease_lost', status: 409, title: 'The claim is gone.', next: 'Stop.' });
const refused = defineError({ code: 'refused_in_test', status: 403, title: 'No.', next: 'Ask for something else.' });
const down = defineError({
  code: 'unavailable',
  status: 503,
  title: 'The service cannot do this right now.',
  next: 'Wait.',
});
/** Refusals that tests switch on. */
export const Refusals = { leaseLost, refused, down };

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
}

/** One activity and the engine around it, held in arrays that outlive passes. */
export class Activity implements ActivityHost {
  agent: ActivityHost['agent'] = { id: '', name: '', pid: 0, workdir: '', runtime_dir: '' };
  masker: ActivityHost['masker'] = createMaskers().masker([]);
  readonly journal: JournalRecord[] = [];
  readonly signals: { name: string; payload: Json }[] = [];
  readonly cells = new Map<string, string>();
  readonly notes: string[] = [];
  logs: { stream: string; text: string }[] = [];
  passes = 0;
  /** The wait this activity is parked on. */
  armed: ArmWait | undefined;
  /** Thrown by the next appends, performs and parks. */
  refusal: Error | undefined;
  /** What the service has against a perform or a park. */
  denies: (call: { kind: string; name: string }) => Error | undefined = () => undefined;
  /** Called with each record before it is kept. */
  onAppend: (record: JournalRecord) => void | Promise<void> = () => undefined;
  #changed: (() => void)[] = [];

  async append(record: JournalRecord): Promise<void> {
    await this.onAppend(record);
    this.#keep(record);
  }

  async perform(call: JournaledCall): Promise<JournalRecord> {
    const denied = this.denies(call);
    if (denied) throw denied;
    const { op, entity = '', key, value } = call.args as Record<string, string>;
    const cell = `${entity}/${key}`;
    if (op === 'set') this.cells.set(cell, value!);
    if (op === 'delete') this.cells.delete(cell);
    const found = this.cells.get(cell);
    const output =
      op === 'get' && found !== undefined
        ? `${found}\n`
        : op === 'list'
          ? `${[...this.cells.keys()].join('\n')}\n`
          : '';
    const missing = op === 'get' && found === undefined;
    const { args: _, ...site } = call;
    const record = {
      ...site,
      exit_code: missing ? 1 : 0,
      output: base64(output),
      ...(missing ? { message: `no state ${key}` } : {}),
    };
    this.#keep(record);
    return record;
  }

  async park(wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }> {
    const fault = this.refusal ?? this.denies(wait);
    if (fault) throw fault;
    const at = this.signals.findIndex((signal) => wait.kind === 'wait-signal' && signal.name === wait.name);
    if (at < 0) {
      this.armed = wait;
      return { parked: true };
    }
    const [signal] = this.signals.splice(at, 1);
    return { record: this.#resolve(wait, 0, `${JSON.stringify(signal!.payload)}\n`) };
  }

  /** Ends the wait that the activity is parked on. */
  wake(exit_code = 0, output = ''): void {
    if (this.armed === undefined) throw new Error('the activity is not parked');
    this.#resolve(this.armed, exit_code, output);
    this.armed = undefined;
  }

  async annotate(nth: number, text: string): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.notes[nth] = text;
  }

  log(stream: 'stdout' | 'stderr' | 'system', data: Buffer): void {
    this.logs.push({ stream, text: data.toString() });
    for (const changed of this.#changed.splice(0)) changed();
  }

  text(stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.logs.flatMap((chunk) => (chunk.stream === stream ? [chunk.text] : [])).join('');
  }

  /** Resolves once the log, or the journal, is as `test` wants it. */
  async until(test: () => boolean): Promise<void> {
    while (!test()) await new Promise<void>((changed) => void this.#changed.push(changed));
  }

  sites(): string[] {
    return this.journal.map((record) => `${record.kind} ${record.name}#${record.ordinal}=${record.exit_code}`);
  }

  output(position: number): string {
    return Buffer.from(this.journal[position]!.output, 'base64').toString();
  }

  #resolve(wait: ArmWait, exit_code: number, output: string): JournalRecord {
    const { args: _args, timeout_ms: _timeout, ...site } = wait;
    const record = { ...site, exit_code, output: base64(output) };
    this.#keep(record);
    return record;
  }

  #keep(record: JournalRecord): void {
    if (this.refusal) throw this.refusal;
    if (record.position !== this.journal.length) throw new Error(`position ${record.position} is not the next one`);
    this.journal.push(record);
    for (const changed of this.#changed.splice(0)) changed();
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

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

export async function openBench(parts: Partial<ExecutorParts> & Pick<ExecutorParts, 'clock' | 'ids'>): Promise<Bench> {
  const runtime_dir = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const executor = createScriptExecutor({
    log,
    env: { ...process.env },
    node: process.execPath,
    cli: ['/bin/echo', 'full command line:'],
    verbs: () => verbs,
    grace_ms: 300,
    ...parts,
  });
  const agent = { id: 'agt_test', name: 'tester', pid: process.pid, workdir: runtime_dir, runtime_dir };
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
      for (;;) {
        const end = await begin(activity, script).ended;
        if (end.end === 'completed' || end.end === 'lost') return end;
        if (end.end === 'parked') wake(activity.armed!);
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
    project_id: 'prj_1',
    org: 'org',
    project: 'project',
    executor: 'script',
    name: 'main',
    pass: activity.passes - 1,
    spec: { filename: filename ?? null, source, interpreter: interpreter ?? null },
    envelope: script.envelope ?? { type: 'manual' },
    trusted: true,
    journal: [...activity.journal],
    lease_ms: 60_000,
    environment: { below: [], workflow: {}, above: [], ...environment },
  };
}
