import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd, RunningPass } from '../../agents/contract.ts';
import type { Verb } from '../contract.ts';
import { type AgentEnvironment, agentPath, environmentFault, scriptEnvironment } from '../domain/environment.ts';
import { chooseInterpreter, findProgram } from '../domain/interpreter.ts';
import { readSpec, type ScriptSpec } from '../domain/script-spec.ts';
import { interpreterMissing, scriptKilled, scriptNotStarted } from '../errors.ts';
import { ReplayJournal } from '../journal/replay-journal.ts';
import type { SpawnedProcess, Spawner } from '../native/spawner.ts';
import type { InShell } from '../shell/in-shell.ts';
import { openSocketServer, type SocketServer } from '../socket/server.ts';
import { OutputRelay } from './output-relay.ts';
import { makePassFolder, type PassFolder } from './pass-folder.ts';
import type { Restarts } from './restarts.ts';
import type { SdkLinks } from './sdk-folder.ts';
import { killedFromOutside, verdict } from './verdict.ts';

/** What all passes of an agent share. */
export interface PassParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  /** The agent's own environment. */
  env: AgentEnvironment;
  /** Runs `.ts` and `.js`. */
  node: string;
  verbs: ReadonlyMap<string, Verb>;
  spawner(runtime_dir: string): Promise<Spawner>;
  /** Folder that holds the verb client. */
  client(runtime_dir: string): Promise<string>;
  /** What scripts find beside them. */
  sdks(runtime_dir: string): Promise<SdkLinks>;
  restarts: Restarts;
  /** Absent: scripts call the program. */
  in_shell: InShell | undefined;
  /** Between SIGTERM and SIGKILL when a pass is stopped. */
  grace_ms: number;
}

/** What cuts a pass short: an end, or a fault after which the activity is given back. */
type Cut = { end: PassEnd } | { fault: unknown };

/** One run of a script from its first line: to its end, to the wait that parks it, or until it is stopped. */
export class ScriptPass implements RunningPass {
  readonly ended: Promise<PassEnd>;
  readonly #parts: PassParts;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  readonly #journal: ReplayJournal;
  #folder: PassFolder | undefined;
  #server: SocketServer | undefined;
  #process: SpawnedProcess | undefined;
  #relay: OutputRelay | undefined;
  #log_name = Promise.resolve('');
  #cut: Cut | undefined;
  #over = false;
  #source = '';

  constructor(parts: PassParts, assignment: Assignment, host: ActivityHost) {
    this.#parts = parts;
    this.#assignment = assignment;
    this.#host = host;
    this.#journal = new ReplayJournal({
      run_id: assignment.run_id,
      activity_id: assignment.activity_id,
      source: () => this.#source,
      records: assignment.journal,
      host,
      clock: parts.clock,
      flushLog: async () => await this.#relay?.flush(),
      end: (end) => this.#cutShort({ end }),
      fault: (fault) => this.#cutShort({ fault }),
    });
    this.ended = this.#run();
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    // What the processes report from here on is of being stopped: it is recorded no more.
    this.#journal.freeze();
    this.#cut ??= { end: why === 'draining' ? { end: 'released' } : { end: 'lost' } };
    this.#server?.gone();
    if (this.#over) return;
    this.#process?.kill('SIGTERM');
    const cancel = this.#parts.clock.after(this.#parts.grace_ms, () => this.#process?.kill('SIGKILL'));
    // The end of the pass is reported by `ended`, whoever awaits it; here it only ends the grace.
    void this.ended.then(cancel, cancel);
  }

  /** Kills at once: what happens in the script from here on would be of no pass. */
  #cutShort(cut: Cut): void {
    // That an activity is parked is a fact in the database, whatever else was meant to be done with it.
    const parked = 'end' in cut && cut.end.end === 'parked';
    if (this.#cut === undefined || parked) this.#cut = cut;
    this.#server?.gone();
    this.#process?.kill('SIGKILL');
  }

  async #run(): Promise<PassEnd> {
    try {
      return await this.#attempt();
    } catch (error) {
      if (this.#cut !== undefined && 'end' in this.#cut) return this.#cut.end;
      if (!isServiceError(error) || error.status >= 500) throw error;
      return {
        end: 'completed',
        completion: { status: 'failed', code: error.code, message: `${error.message}\n${error.next}` },
      };
    } finally {
      this.#over = true;
      await this.#cleanUp();
    }
  }

  async #attempt(): Promise<PassEnd> {
    const spec = readSpec(this.#assignment.spec);
    this.#source = spec.source;
    const program = await this.#program(spec);
    const { runtime_dir } = this.#host.agent;
    const client_folder = await this.#parts.client(runtime_dir);
    const spawner = await this.#parts.spawner(runtime_dir);
    const name = `p${this.#parts.ids.bytes(6).toString('hex')}`;
    const links = await this.#parts.sdks(runtime_dir);
    this.#folder = await makePassFolder(runtime_dir, name, spec, this.#assignment.envelope, links);
    this.#server = await openSocketServer(this.#folder.socket, {
      verbs: this.#parts.verbs,
      journal: (alive) => this.#journal.for(alive),
      log_name: () => this.#log_name,
      log: this.#parts.log,
    });
    const env = this.#environment(this.#folder, client_folder);
    const more = await this.#parts.in_shell?.variables(client_folder, program, env);
    if (this.#cut !== undefined) return this.#cutEnd(this.#cut);
    const argv = [...program, this.#folder.source];
    return await this.#follow(spawner.spawn({ argv, env: { ...env, ...more }, cwd: this.#host.agent.workdir }));
  }

  async #program(spec: ScriptSpec): Promise<string[]> {
    const { argv, name } = chooseInterpreter(spec.filename, spec.interpreter);
    if (spec.interpreter === undefined && name === 'node') return [this.#parts.node, ...argv.slice(1)];
    const { agent } = this.#host;
    const path = await findProgram(name, agentPath(this.#parts.env), agent.workdir);
    if (path === undefined)
      throw interpreterMissing(
        `agent ${agent.name} (${agent.id}) has no interpreter ${JSON.stringify(name)} on its PATH`,
      );
    return [path, ...argv.slice(1)];
  }

  #environment(folder: PassFolder, client_folder: string): Record<string, string> {
    const { input_file, socket } = folder;
    const place = { socket, input_file, client_folder, agent: this.#host.agent };
    const env = scriptEnvironment(this.#assignment, this.#parts.env, place);
    const fault = environmentFault(env);
    if (fault !== undefined) throw scriptNotStarted(fault);
    return env;
  }

  async #follow(process: SpawnedProcess): Promise<PassEnd> {
    this.#process = process;
    this.#relay = new OutputRelay(process, this.#host, this.#parts.clock);
    this.#log_name = Promise.all([process.log, process.error_log]).then(
      (names) => names.join(' '),
      // It did not start, which `ended` says with its reason.
      () => '',
    );
    const end = await process.ended;
    this.#journal.freeze();
    if (this.#cut !== undefined) return this.#cutEnd(this.#cut);
    if (end.error !== undefined) throw this.#startFault(end.error, end.error_code);
    if (killedFromOutside(end)) return this.#afterKill(end.signal!);
    this.#parts.restarts.forget(this.#assignment.activity_id);
    return verdict(end, this.#journal, () => this.#relay!.tail());
  }

  #cutEnd(cut: Cut): PassEnd {
    if ('fault' in cut) throw cut.fault;
    return cut.end;
  }

  /** A spawner that went away is a fault of the agent, another try is right; a program that cannot start is not. */
  #startFault(error: string, code: string | undefined): Error {
    return code === undefined ? new Error(error) : scriptNotStarted(`the script could not be started: ${error}`);
  }

  #afterKill(signal: string): PassEnd {
    const { activity_id } = this.#assignment;
    if (!this.#parts.restarts.killed(activity_id, this.#journal.length())) return { end: 'released' };
    const detail = `the script was killed by ${signal} again and again without getting further`;
    throw scriptKilled(detail);
  }

  /** What cannot be removed now is removed with the agent's whole folder, so it fails no run. */
  async #cleanUp(): Promise<void> {
    await this.#server?.close();
    try {
      await this.#folder?.remove();
    } catch (error) {
      this.#parts.log.warn({ error: (error as Error).message }, 'the folder of a pass could not be removed');
    }
  }
}
