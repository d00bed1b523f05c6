import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../../kernel/contracts/index.ts';
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
  timeoutMessage,
  ProgramLost,
  runAttempts,
} from '../contract.ts';
import {
  Capture,
  commandOutput,
  toExitCode,
  notStartedResult,
  readIncludedFiles,
  readCommand,
  readRecordedPolicy,
} from '../domain/command-spec.ts';
import { type AgentEnvironment, agentPath, commandEnvironment, findEnvironmentProblem } from '../domain/environment.ts';
import { scriptNotStarted } from '../errors.ts';
import type { Sandbox } from '../isolation/sandbox.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { openSpawner, type SpawnedProcess, type Spawner } from '../native/spawner.ts';
import { trackAttempts, ParkedBetweenAttempts } from './command-attempts.ts';
import { loadIncludedFiles } from './included-files.ts';
import { OutputRelay } from './output-relay.ts';
import { programLost } from './program-lost.ts';

export interface CommandDeps {
  clock: Clock;
  ids: Pick<Ids, 'bytes'>;
  log: Log;
  isolation: Isolation;
  env: AgentEnvironment;
  grace_ms: number;
  /** True requires the native spawner, false the Node one; by default the native one is used if available. */
  native?: boolean;
}

/** Maximum code points of a child's standard error that are recorded with its outcome. */
const MAX_STDERR_LENGTH = 2000;

interface PassDeps extends Omit<CommandDeps, 'native'> {
  spawner(runtime_dir: string): Promise<Spawner>;
}

/** The result of a command that was lost together with the process that started it. */
const LOST_RESULT: ExecResult = { exit_code: TIMED_OUT, stdout: Buffer.alloc(0), size: 0 };

/**
 * Runs activities of the executor `command`: children of scripts, each one process in the agent's working directory.
 */
export function createCommandExecutor(deps: CommandDeps): Executor & { close(): Promise<void> } {
  let spawner_promise: Promise<Spawner> | undefined;
  const spawner = (runtime_dir: string): Promise<Spawner> => {
    spawner_promise ??= openSpawner({ runtime_dir, native: deps.native }).catch((error) => {
      // The next pass tries again, because the cause may be fixed by then.
      spawner_promise = undefined;
      throw error;
    });
    return spawner_promise;
  };
  return {
    executor: 'command',
    capabilities: async () => [],
    isolation: () => deps.isolation.findProblem(),
    start: (assignment, host) => new CommandPass({ ...deps, spawner }, assignment, host),
    async close() {
      const current_spawner = await spawner_promise?.catch(() => undefined);
      spawner_promise = undefined;
      await current_spawner?.close();
    },
  };
}

/**
 * One run of a command. Its output is logged as it arrives; its standard output is reported to its parent at the end.
 */
class CommandPass implements RunningPass {
  readonly result: Promise<PassEnd>;
  readonly #deps: PassDeps;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  #process: SpawnedProcess | undefined;
  #stopped: PassEnd | undefined;

  constructor(deps: PassDeps, assignment: Assignment, host: ActivityHost) {
    this.#deps = deps;
    this.#assignment = assignment;
    this.#host = host;
    this.result = this.#run();
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = why === 'draining' ? { end: 'released' } : { end: 'lost' };
    this.#process?.kill('SIGTERM');
    const cancel = this.#deps.clock.after(this.#deps.grace_ms, () => this.#process?.kill('SIGKILL'));
    // `ended` reports the end of the pass; here it only cancels the grace period.
    void this.result.then(cancel, cancel);
  }

  async #run(): Promise<PassEnd> {
    try {
      const outcome = await this.#attempts(readRecordedPolicy(this.#assignment.spec));
      // The outcome of a process that is being stopped is not recorded.
      if (this.#stopped !== undefined) return this.#stopped;
      return { end: 'completed', completion: { status: 'succeeded', output: commandOutput(outcome) } };
    } catch (error) {
      if (this.#stopped !== undefined) return this.#stopped;
      if (error instanceof ParkedBetweenAttempts) return { end: 'parked' };
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
      this.#host.reportCall?.({ kind: 'activity', name: this.#assignment.name, ordinal: 0 });
    if (policy === undefined) return await once();
    const isStopping = () => this.#stopped !== undefined;
    return await runAttempts(trackAttempts(this.#assignment, this.#host, this.#deps.clock, isStopping), policy, once);
  }

  async #execute(attempt: CommandAttempt): Promise<ExecResult> {
    const command = readCommand(this.#assignment.spec);
    const env = this.#environment();
    if (attempt.attempt !== undefined) env.ATTEMPT = String(attempt.attempt);
    const beside = readIncludedFiles(this.#assignment.spec);
    const location = await this.#openSandbox(beside);
    const argv = beside ? command.map((word) => word.replaceAll(beside.folder, location.beside)) : command;
    try {
      return await this.#runInSandbox(location.sandbox, { argv, env }, attempt.timeout_ms);
    } finally {
      await location.close();
    }
  }

  async #runInSandbox(
    ground: Sandbox,
    { argv, env }: { argv: readonly string[]; env: Record<string, string> },
    timeout_ms: number | undefined,
  ): Promise<ExecResult> {
    const [program = ''] = argv;
    const path = await ground.find(program, agentPath(this.#deps.env));
    if (path === undefined && !program.includes('/')) return notStartedResult(program, 'ENOENT');
    const spawner = await this.#deps.spawner(this.#host.agent.runtime_dir);
    if (this.#stopped !== undefined) return notStartedResult(program, 'ECANCELED');
    const request = { argv: [path ?? program, ...argv.slice(1)], env, cwd: ground.workdir };
    const process = spawner.spawn(ground.toSpawnRequest(request));
    const result = this.#collectResult(process, ground, program);
    return timeout_ms === undefined ? await result : await this.#withTimeout(process, timeout_ms, result);
  }

  /** Sends SIGTERM after the timeout, and SIGKILL after the grace period. */
  async #withTimeout(process: SpawnedProcess, timeout_ms: number, result: Promise<ExecResult>): Promise<ExecResult> {
    const { clock, grace_ms } = this.#deps;
    let has_timed_out = false;
    let cancel = clock.after(timeout_ms, () => {
      has_timed_out = true;
      process.kill('SIGTERM');
      cancel = clock.after(grace_ms, () => process.kill('SIGKILL'));
    });
    try {
      const ended = await result.catch((error: unknown) => {
        // Whatever ended the process, its time was up.
        if (has_timed_out && error instanceof ProgramLost) return LOST_RESULT;
        throw error;
      });
      return has_timed_out ? { ...ended, exit_code: TIMED_OUT, error: timeoutMessage(timeout_ms) } : ended;
    } finally {
      cancel();
    }
  }

  /** A command has its own folder only if it is isolated, or if files of its script are in it. */
  async #openSandbox(
    beside: ScriptFiles | undefined,
  ): Promise<{ sandbox: Sandbox; beside: string; close(): Promise<void> }> {
    const { isolation, ids, log } = this.#deps;
    const { agent, contents } = this.#host;
    const folder = join(agent.runtime_dir, `c${ids.bytes(6).toString('hex')}`);
    const source = join(folder, 'source');
    const files = loadIncludedFiles(beside?.files, contents);
    const needed = beside !== undefined || isolation.isolates(this.#assignment, agent);
    if (needed) await mkdir(folder, { mode: 0o700 });
    const remove = async () => {
      if (needed) await removeFolder(folder);
    };
    try {
      if (beside !== undefined) await mkdir(source, { mode: 0o700 });
      await files.write(source);
      const sandbox = await isolation.openSandbox(this.#assignment, agent, {
        runtime_dir: agent.runtime_dir,
        folder,
        folder_exists: needed,
        tools: [],
      });
      return { sandbox, beside: source, close: () => closeSandbox(sandbox, remove, log) };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #environment(): Record<string, string> {
    const { run_id, activity_id, name } = this.#assignment;
    const key = idempotencyKey({ run_id, job: activity_id }, { kind: 'activity', name, ordinal: 0 });
    const env = commandEnvironment(this.#assignment, this.#deps.env, key);
    const problem = findEnvironmentProblem(env);
    if (problem !== undefined) throw scriptNotStarted(problem);
    return env;
  }

  async #collectResult(process: SpawnedProcess, ground: Sandbox, program: string): Promise<ExecResult> {
    this.#process = process;
    const capture = new Capture();
    process.onOutput((stream, data) => {
      if (stream === 'stdout') capture.add(data);
    });
    const relay = new OutputRelay(process, this.#host, this.#deps.clock);
    const end = await ground.interpretEnd(await process.ended);
    const stderr_tail = relay.tail();
    if (end.lost) throw programLost(end.error!);
    // A lost spawner is an error of the agent, and a retry may help.
    if (end.error !== undefined && end.error_code === undefined) throw new Error(end.error);
    if (end.error !== undefined) return notStartedResult(program, end.error_code);
    const exit_code = toExitCode(end);
    const error = exit_code === 0 ? undefined : describeFailure(this.#assignment.name, exit_code, stderr_tail);
    return { exit_code, stdout: capture.bytes(), size: capture.size, error };
  }
}

/** Its parent runs elsewhere and would find this output only in the log. Returns undefined if there is none. */
function describeFailure(name: string, exit_code: number, stderr_tail: string): string | undefined {
  if (stderr_tail === '') return undefined;
  const tail = [...stderr_tail].slice(-MAX_STDERR_LENGTH).join('');
  return `child ${name} ended with exit code ${exit_code}; the end of its standard error:\n${tail}`;
}

/** A folder that cannot be removed now is removed with the agent's folder. */
async function closeSandbox(sandbox: Sandbox, remove: () => Promise<void>, log: Log): Promise<void> {
  await sandbox.close();
  await remove().catch((error: Error) => {
    log.warn({ error: error.message }, 'removing the folder of a command failed');
  });
}
