import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import {
  type ActivityHost,
  type Assignment,
  type Executor,
  type PassEnd,
  type RunningPass,
  removeFolder,
} from '../../agents/contract.ts';
import { idempotencyKey, type RecordedOutcome } from '../../replay/contract.ts';
import {
  type CommandAttempt,
  commandOutcome,
  type CommandPolicy,
  type ExecResult,
  type ScriptFiles,
  TIMED_OUT,
  tookLonger,
  ProgramLost,
  tryAll,
} from '../contract.ts';
import {
  Capture,
  commandOutput,
  exitCodeOf,
  notStarted,
  readBesideOf,
  readCommand,
  readPolicyOf,
} from '../domain/command-spec.ts';
import { type AgentEnvironment, agentPath, commandEnvironment, environmentFault } from '../domain/environment.ts';
import { scriptNotStarted } from '../errors.ts';
import type { Ground } from '../isolation/ground.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { openSpawner, type SpawnedProcess, type Spawner } from '../native/spawner.ts';
import { commandAttempts, ParkedBetween } from './command-attempts.ts';
import { filesBeside } from './included-files.ts';
import { OutputRelay } from './output-relay.ts';
import { programLost } from './program-lost.ts';

export interface CommandParts {
  clock: Clock;
  ids: Pick<Ids, 'bytes'>;
  log: Log;
  isolation: Isolation;
  env: AgentEnvironment;
  grace_ms: number;
  /** True requires the native spawner, false the Node one; the default is the native one when available. */
  native?: boolean;
}

/** How much of what a child said stands with its outcome, in code points. */
const LAST_WORDS = 2000;

interface PassParts extends Omit<CommandParts, 'native'> {
  spawner(runtime_dir: string): Promise<Spawner>;
}

/** What is known of a command that is gone with what kept it. */
const NOTHING: ExecResult = { exit_code: TIMED_OUT, stdout: Buffer.alloc(0), size: 0 };

/** Runs activities of the executor `command`: children of scripts, each one process in the agent's working directory. */
export function createCommandExecutor(parts: CommandParts): Executor & { close(): Promise<void> } {
  let opened: Promise<Spawner> | undefined;
  const spawner = (runtime_dir: string): Promise<Spawner> => {
    opened ??= openSpawner({ runtime_dir, native: parts.native }).catch((error) => {
      // The next pass tries again: the cause may be fixed by then.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    executor: 'command',
    capabilities: async () => [],
    isolation: () => parts.isolation.fault(),
    start: (assignment, host) => new CommandPass({ ...parts, spawner }, assignment, host),
    async close() {
      const last = await opened?.catch(() => undefined);
      opened = undefined;
      await last?.close();
    },
  };
}

/** One run of a command. Its output is logged as it arrives; its stdout is reported to its parent at the end. */
class CommandPass implements RunningPass {
  readonly ended: Promise<PassEnd>;
  readonly #parts: PassParts;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  #process: SpawnedProcess | undefined;
  #stopped: PassEnd | undefined;

  constructor(parts: PassParts, assignment: Assignment, host: ActivityHost) {
    this.#parts = parts;
    this.#assignment = assignment;
    this.#host = host;
    this.ended = this.#run();
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why === 'draining' ? { end: 'released' } : { end: 'lost' };
    this.#process?.kill('SIGTERM');
    const cancel = this.#parts.clock.after(this.#parts.grace_ms, () => this.#process?.kill('SIGKILL'));
    // `ended` reports the end of the pass; here it only cancels the grace period.
    void this.ended.then(cancel, cancel);
  }

  async #run(): Promise<PassEnd> {
    try {
      const outcome = await this.#attempts(readPolicyOf(this.#assignment.spec));
      // The outcome of a process that is being stopped is not recorded.
      if (this.#stopped !== undefined) return this.#stopped;
      return { end: 'completed', completion: { status: 'succeeded', output: commandOutput(outcome) } };
    } catch (error) {
      if (this.#stopped !== undefined) return this.#stopped;
      if (error instanceof ParkedBetween) return { end: 'parked' };
      if (error instanceof ProgramLost) return error.interrupted;
      if (!isServiceError(error) || error.status >= 500) throw error;
      const message = `${error.message}\n${error.next}`;
      return { end: 'completed', completion: { status: 'failed', code: error.code, message } };
    }
  }

  async #attempts(policy: CommandPolicy | undefined): Promise<RecordedOutcome> {
    const what = `child ${this.#assignment.name}`;
    const once = async (attempt: CommandAttempt = {}) =>
      commandOutcome(what, await this.#execute(attempt), 'a file or an artifact');
    if (policy?.retry === undefined)
      this.#host.underWay?.({ kind: 'activity', name: this.#assignment.name, ordinal: 0 });
    if (policy === undefined) return await once();
    const over = () => this.#stopped !== undefined;
    return await tryAll(commandAttempts(this.#assignment, this.#host, this.#parts.clock, over), policy, once);
  }

  async #execute(attempt: CommandAttempt): Promise<ExecResult> {
    const command = readCommand(this.#assignment.spec);
    const env = this.#environment();
    if (attempt.attempt !== undefined) env.ATTEMPT = String(attempt.attempt);
    const beside = readBesideOf(this.#assignment.spec);
    const place = await this.#place(beside);
    const argv = beside ? command.map((word) => word.replaceAll(beside.folder, place.beside)) : command;
    try {
      return await this.#runOn(place.ground, { argv, env }, attempt.timeout_ms);
    } finally {
      await place.close();
    }
  }

  async #runOn(
    ground: Ground,
    { argv, env }: { argv: readonly string[]; env: Record<string, string> },
    timeout_ms: number | undefined,
  ): Promise<ExecResult> {
    const [program = ''] = argv;
    const path = await ground.find(program, agentPath(this.#parts.env));
    if (path === undefined && !program.includes('/')) return notStarted(program, 'ENOENT');
    const spawner = await this.#parts.spawner(this.#host.agent.runtime_dir);
    if (this.#stopped !== undefined) return notStarted(program, 'ECANCELED');
    const request = { argv: [path ?? program, ...argv.slice(1)], env, cwd: ground.workdir };
    const process = spawner.spawn(ground.request(request));
    const result = this.#follow(process, ground, program);
    return timeout_ms === undefined ? await result : await this.#inTime(process, timeout_ms, result);
  }

  /** SIGTERM when its time is over, SIGKILL after the grace period. */
  async #inTime(process: SpawnedProcess, timeout_ms: number, result: Promise<ExecResult>): Promise<ExecResult> {
    const { clock, grace_ms } = this.#parts;
    let late = false;
    let cancel = clock.after(timeout_ms, () => {
      late = true;
      process.kill('SIGTERM');
      cancel = clock.after(grace_ms, () => process.kill('SIGKILL'));
    });
    try {
      const ended = await result.catch((error: unknown) => {
        // Whatever ended it: its time was over.
        if (late && error instanceof ProgramLost) return NOTHING;
        throw error;
      });
      return late ? { ...ended, exit_code: TIMED_OUT, error: tookLonger(timeout_ms) } : ended;
    } finally {
      cancel();
    }
  }

  /** A command has a folder of its own only where it is isolated, or files of its script lie in it. */
  async #place(beside: ScriptFiles | undefined): Promise<{ ground: Ground; beside: string; close(): Promise<void> }> {
    const { isolation, ids, log } = this.#parts;
    const { agent, contents } = this.#host;
    const folder = join(agent.runtime_dir, `c${ids.bytes(6).toString('hex')}`);
    const source = join(folder, 'source');
    const files = filesBeside(beside?.files, contents);
    const needed = beside !== undefined || isolation.isolates(this.#assignment, agent);
    if (needed) await mkdir(folder, { mode: 0o700 });
    const remove = async () => {
      if (needed) await removeFolder(folder);
    };
    try {
      if (beside !== undefined) await mkdir(source, { mode: 0o700 });
      await files.write(source);
      const ground = await isolation.ground(this.#assignment, agent, {
        runtime_dir: agent.runtime_dir,
        folder,
        made: needed,
        tools: [],
      });
      return { ground, beside: source, close: () => closed(ground, remove, log) };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #environment(): Record<string, string> {
    const { run_id, activity_id, name } = this.#assignment;
    const key = idempotencyKey({ run_id, job: activity_id }, { kind: 'activity', name, ordinal: 0 });
    const env = commandEnvironment(this.#assignment, this.#parts.env, key);
    const fault = environmentFault(env);
    if (fault !== undefined) throw scriptNotStarted(fault);
    return env;
  }

  async #follow(process: SpawnedProcess, ground: Ground, program: string): Promise<ExecResult> {
    this.#process = process;
    const capture = new Capture();
    process.onOutput((stream, data) => {
      if (stream === 'stdout') capture.add(data);
    });
    const relay = new OutputRelay(process, this.#host, this.#parts.clock);
    const end = await ground.ended(await process.ended);
    const said = relay.tail();
    if (end.lost) throw programLost(end.error!);
    // A lost spawner is a fault of the agent; another try is right.
    if (end.error !== undefined && end.error_code === undefined) throw new Error(end.error);
    if (end.error !== undefined) return notStarted(program, end.error_code);
    const exit_code = exitCodeOf(end);
    const error = exit_code === 0 ? undefined : lastWords(this.#assignment.name, exit_code, said);
    return { exit_code, stdout: capture.bytes(), size: capture.size, error };
  }
}

/** Its parent runs elsewhere, and would find what it said in the log only. Undefined for one that said nothing. */
function lastWords(name: string, exit_code: number, said: string): string | undefined {
  if (said === '') return undefined;
  const tail = [...said].slice(-LAST_WORDS).join('');
  return `child ${name} ended with exit code ${exit_code}; the end of its standard error:\n${tail}`;
}

/** A folder that cannot be removed now is removed with the agent's folder. */
async function closed(ground: Ground, remove: () => Promise<void>, log: Log): Promise<void> {
  await ground.close();
  await remove().catch((error: Error) => {
    log.warn({ error: error.message }, 'removing the folder of a command failed');
  });
}
