import { basename, dirname, join } from 'node:path';
import { isServiceError } from '../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd, RunningPass } from '../../agents/contract.ts';
import type { OpenReplay } from '../../replay/contract.ts';
import { checkOut } from '../checkout/check-out.ts';
import { type CheckoutWork, ProgramLost, type ScriptWork, shownCommit, type StartedProgram } from '../contract.ts';
import { bundleOf, writtenSource } from '../domain/bundled.ts';
import { agentPath, environmentFault, scriptEnvironment } from '../domain/environment.ts';
import { chooseInterpreter } from '../domain/interpreter.ts';
import { Capture } from '../domain/command-spec.ts';
import { inputOf, jobOf, readSpec, sourceFileName } from '../domain/script-spec.ts';
import type { ShownName } from '../domain/shown-names.ts';
import { interpreterMissing, scriptKilled, scriptNotStarted } from '../errors.ts';
import type { Ground } from '../isolation/ground.ts';
import type { ProcessEnd, SpawnedProcess, Spawner, SpawnRequest } from '../native/spawner.ts';
import { attemptProgram } from '../native/verb-client.ts';
import { PassSocket, type SocketServer } from '../socket/server.ts';
import { filesBeside, goFiles } from './included-files.ts';
import { OutputRelay } from './output-relay.ts';
import { takePrepared } from './prepared-pass.ts';
import { programLost } from './program-lost.ts';
import { makePassFolderIn, type PassFolder } from './pass-folder.ts';
import type { PassParts } from './pass-parts.ts';
import { type SdkLinks, sdkFolders } from './sdk-folder.ts';
import type { PreparedProcess } from '../warm/prepared-process.ts';
import type { WarmPlace } from '../warm/warm-interpreters.ts';
import { killedFromOutside, verdict } from './verdict.ts';

/** What ends a pass early: an end, or a fault that releases the activity. */
type Cut = { end: PassEnd } | { fault: unknown };

const isGoRun = ([program = '', ...rest]: readonly string[]): boolean =>
  basename(program) === 'go' && rest.length === 1 && rest[0] === 'run';

/** The script is run from a copy, beside copies of what it includes. A bundle has another ending than the script. */
function shownNames({ filename, source: text }: ScriptWork, source: string): ShownName[] {
  const bundle = bundleOf(text) ? [{ path: source, shown: sourceFileName(filename) }] : [];
  return [...bundle, { path: `${dirname(source)}/`, shown: '' }];
}

/** One run of a script from its first line until it ends, parks or is stopped. */
export class ScriptPass implements RunningPass {
  readonly ended: Promise<PassEnd>;
  readonly #parts: PassParts;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  readonly #journal: OpenReplay;
  #folder: PassFolder | undefined;
  #ground: Ground | undefined;
  #server: SocketServer | undefined;
  #process: SpawnedProcess | undefined;
  #prepared: PreparedProcess | undefined;
  #relay: OutputRelay | undefined;
  #log_name = Promise.resolve('');
  #cut: Cut | undefined;
  #over = false;
  #source = '';
  #names: readonly ShownName[] = [];

  constructor(parts: PassParts, assignment: Assignment, host: ActivityHost) {
    this.#parts = parts;
    this.#assignment = assignment;
    this.#host = host;
    this.#journal = parts.replay.open({
      assignment,
      host,
      clock: parts.clock,
      job: jobOf(assignment.spec),
      source: () => this.#source,
      flushLog: async () => await this.#relay?.flush(),
      begins: (call) => this.#relay?.from(call),
      end: (end) => this.#cutShort({ end }),
      fault: (fault) => this.#cutShort({ fault }),
    });
    this.ended = this.#run();
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    // From here on the processes report only that they are being stopped; nothing more is recorded.
    this.#journal.freeze();
    this.#cut ??= { end: why === 'draining' ? { end: 'released' } : { end: 'lost' } };
    this.#server?.gone();
    if (this.#over) return;
    this.#process?.kill('SIGTERM');
    const cancel = this.#parts.clock.after(this.#parts.grace_ms, () => this.#process?.kill('SIGKILL'));
    // `ended` reports the end of the pass; here it only cancels the grace period.
    void this.ended.then(cancel, cancel);
  }

  /** Kills at once: anything the script does from here on would belong to no pass. */
  #cutShort(cut: Cut): void {
    // The database already holds the parked activity, so parking wins over any other end.
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
      // What kept git is gone; the next pass fetches again.
      if (error instanceof ProgramLost) return this.#afterKill(`lost (${error.message})`);
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
    this.#source = writtenSource(spec.source);
    const { runtime_dir } = this.#host.agent;
    const client_folder = await this.#parts.client(runtime_dir);
    const spawner = await this.#parts.spawner(runtime_dir);
    const links = await this.#parts.sdks(this.#host.agent);
    this.#prepared = await this.#takePrepared(spec, { spawner, client_folder, links });
    this.#folder = this.#prepared?.folder ?? (await this.#makeFolder(spec, links));
    const { folder, socket } = this.#folder;
    this.#names = shownNames(spec, this.#folder.source);
    const tools = [client_folder, ...sdkFolders(runtime_dir)];
    const ground = await this.#parts.isolation.ground(this.#assignment, this.#host.agent, {
      runtime_dir,
      folder,
      tools,
    });
    this.#ground = ground;
    const workspace =
      spec.checkout && (await this.#checkOut(spec.checkout, { folder, spawner, ground, client_folder }));
    if (this.#cut !== undefined) return this.#cutEnd(this.#cut);
    const program = await this.#program(spec, ground);
    const listening = this.#prepared?.socket ?? (await PassSocket.open(socket));
    this.#server = listening.serve({
      verbs: this.#parts.verbs,
      journal: (alive) => this.#journal.for(alive),
      envelope: inputOf(spec, this.#assignment.envelope),
      files: this.#host.files,
      contents: this.#host.contents,
      ...(spec.files && { beside: { folder: dirname(this.#folder.source), files: spec.files } }),
      room: ground.room,
      log_name: () => this.#log_name,
      attempts: { path: attemptProgram(client_folder), grace_ms: this.#parts.grace_ms },
      clock: this.#parts.clock,
      log: this.#parts.log,
    });
    await ground.give(socket);
    const env = this.#environment(this.#folder, client_folder, workspace);
    const more = await this.#parts.in_shell?.variables(client_folder, program, env);
    if (this.#cut !== undefined) return this.#cutEnd(this.#cut);
    const { source } = this.#folder;
    const package_files = isGoRun(program) ? goFiles(dirname(source), spec.files) : [];
    const argv = [...program, source, ...package_files, ...(spec.args ?? [])];
    const request = ground.request({ argv, env: { ...env, ...more }, cwd: workspace ?? ground.workdir });
    const capture = spec.captures ? new Capture() : undefined;
    const end = (await this.#handOver(request, capture)) ?? (await this.#follow(spawner.spawn(request), capture));
    return this.#judge(await ground.ended(end), capture);
  }

  async #takePrepared(spec: ScriptWork, place: Omit<WarmPlace, 'agent'>): Promise<PreparedProcess | undefined> {
    const { agent } = this.#host;
    // Its files would lie in memory, and a repository may be large.
    if (spec.checkout !== undefined) return undefined;
    if (this.#parts.isolation.isolates(this.#assignment, agent)) return undefined;
    const warm = this.#parts.warm({ agent, ...place });
    if (!warm) return undefined;
    const { env, node, in_shell, log, isolation } = this.#parts;
    const { client_folder } = place;
    const assignment = this.#assignment;
    const user = await isolation.user(assignment, agent);
    const work = { spec, assignment, agent, client_folder, env, node, in_shell, log, user, ended: this.ended };
    return await takePrepared(warm, work, (process) => {
      // It may not be ready for long, and a stop must reach it.
      this.#process = process;
      if (this.#cut !== undefined) process.kill('SIGKILL');
    });
  }

  /** The end of the prepared process; undefined when that did not take the pass: nothing of the script has run. */
  async #handOver(request: SpawnRequest, capture: Capture | undefined): Promise<ProcessEnd | undefined> {
    const prepared = this.#prepared;
    if (!prepared?.usable || !prepared.handOver(request.cwd, request.env)) return undefined;
    const end = await this.#follow(prepared, capture);
    const { log } = this.#parts;
    if (prepared.taken) log.debug({ exit_code: end.exit_code }, 'a prepared interpreter has run a script');
    // When the spawner is lost, nobody can tell: the script may have run, and may not be gone yet.
    if (prepared.taken || end.error !== undefined || this.#cut !== undefined) return end;
    log.info({ reason: prepared.noise }, 'a prepared interpreter did not take its script, which is started anew');
    return undefined;
  }

  #makeFolder(spec: ScriptWork, links: SdkLinks): Promise<PassFolder> {
    const { ids, log } = this.#parts;
    const name = `p${ids.bytes(6).toString('hex')}`;
    const beside = filesBeside(spec.files, this.#host.contents);
    const envelope = inputOf(spec, this.#assignment.envelope);
    return makePassFolderIn(this.#places(spec), { name, spec, links, beside, log, envelope });
  }

  /** Isolated programs and repositories have their own folders below the one of the pass, and may fill them: those stay on the disk. */
  #places({ checkout }: ScriptWork): string[] {
    const { agent } = this.#host;
    const { memory_dir, runtime_dir } = agent;
    const isolated = this.#parts.isolation.isolates(this.#assignment, agent);
    return isolated || checkout !== undefined || memory_dir === undefined ? [runtime_dir] : [memory_dir, runtime_dir];
  }

  /** The folder with the repository, in which the script begins. It is made anew for every pass, as the process is. */
  async #checkOut(
    checkout: CheckoutWork,
    {
      folder,
      spawner,
      ground,
      client_folder,
    }: { folder: string; spawner: Spawner; ground: Ground; client_folder: string },
  ): Promise<string> {
    const workspace = join(folder, 'work');
    await ground.folder(workspace);
    this.#host.log('system', Buffer.from(`checking out ${shownCommit(checkout)}\n`));
    await checkOut(
      {
        folder,
        env: this.#environment(this.#folder!, client_folder),
        assignment: this.#assignment,
        find: (program) => this.#find(program, ground),
        start: (program) => this.#startGit(spawner.spawn(ground.request(program)), ground),
      },
      { checkout, workspace, started: () => undefined, isStopped: () => this.#cut !== undefined },
    );
    return workspace;
  }

  #startGit(process: SpawnedProcess, ground: Ground): StartedProgram {
    this.#process = process;
    if (this.#cut !== undefined) process.kill('SIGKILL');
    const relay = new OutputRelay(process, this.#host, this.#parts.clock);
    const ended = process.ended.then(async (given) => {
      const end = await ground.ended(given);
      relay.end();
      if (this.#cut !== undefined) return { exit_code: 0, signal: null, tail: '' };
      if (end.lost) throw programLost(end.error!);
      if (end.error !== undefined) throw this.#startFault(end.error, end.error_code);
      return { exit_code: end.exit_code, signal: end.signal, tail: relay.tail() };
    });
    return { ended, stop: () => process.kill('SIGTERM') };
  }

  async #find(name: string, ground: Ground, what = ''): Promise<string> {
    const path = await ground.find(name, agentPath(this.#parts.env));
    if (path !== undefined) return path;
    const { agent } = this.#host;
    throw interpreterMissing(`agent ${agent.name} (${agent.id}) has no ${what}${JSON.stringify(name)} on its PATH`);
  }

  async #program(spec: ScriptWork, ground: Ground): Promise<string[]> {
    const { argv, name } = chooseInterpreter(spec.filename, spec.interpreter);
    if (spec.interpreter === undefined && name === 'node') {
      // Errors name the files that the author wrote.
      const maps = bundleOf(spec.source) ? ['--enable-source-maps'] : [];
      return [this.#parts.node, ...maps, ...argv.slice(1)];
    }
    return [await this.#find(name, ground, 'interpreter '), ...argv.slice(1)];
  }

  #environment(folder: PassFolder, client_folder: string, workspace?: string): Record<string, string> {
    const { input_file, socket } = folder;
    const place = { socket, input_file, client_folder, agent: this.#host.agent, workspace };
    const env = scriptEnvironment(this.#assignment, this.#parts.env, place);
    const fault = environmentFault(env);
    if (fault !== undefined) throw scriptNotStarted(fault);
    return env;
  }

  async #follow(process: SpawnedProcess, capture: Capture | undefined): Promise<ProcessEnd> {
    this.#process = process;
    if (capture)
      process.onOutput((stream, data) => {
        if (stream === 'stdout') capture.add(data);
      });
    this.#relay = new OutputRelay(process, this.#host, this.#parts.clock, this.#names);
    // Output that is captured is no log: replayed calls print into it.
    const logs = capture ? [process.error_log] : [process.log, process.error_log];
    this.#log_name = Promise.all(logs).then(
      (names) => names.join(' '),
      // The process did not start; `ended` reports the reason.
      () => '',
    );
    const end = await process.ended;
    this.#relay.end();
    return end;
  }

  #judge(end: ProcessEnd, capture: Capture | undefined): PassEnd {
    this.#journal.freeze();
    if (this.#cut !== undefined) return this.#cutEnd(this.#cut);
    if (end.lost) return this.#afterKill(`lost (${end.error})`);
    if (end.error !== undefined) throw this.#startFault(end.error, end.error_code);
    if (killedFromOutside(end)) return this.#afterKill(`killed by ${end.signal}`);
    return verdict(end, this.#journal, { tail: () => this.#relay!.tail(), capture, masker: this.#host.masker });
  }

  #cutEnd(cut: Cut): PassEnd {
    if ('fault' in cut) throw cut.fault;
    return cut.end;
  }

  /**
   * A spawner that does not start is a fault of the agent, so another try is right. A program that cannot start will not start at the
   * next try either.
   */
  #startFault(error: string, code: string | undefined): Error {
    return code === undefined ? new Error(error) : scriptNotStarted(`the script could not be started: ${error}`);
  }

  /** Whatever kills it from outside, or what keeps it: it goes on with the next pass. */
  #afterKill(how: string): PassEnd {
    const { code, message, next } = scriptKilled(`the script was ${how} again and again without getting further`);
    return {
      ...{ end: 'interrupted', at: this.#journal.length() },
      otherwise: { status: 'failed', code, message: `${message}\n${next}` },
    };
  }

  /** A folder that cannot be removed now is removed with the agent's folder, so this fails no run. */
  async #cleanUp(): Promise<void> {
    // One that was not handed over, or not taken, still waits.
    this.#prepared?.kill('SIGKILL');
    await this.#prepared?.ended;
    await this.#prepared?.socket.close();
    await this.#server?.close();
    await this.#ground?.close();
    try {
      await this.#folder?.remove();
    } catch (error) {
      this.#parts.log.warn({ error: (error as Error).message }, 'removing the folder of a pass failed');
    }
  }
}
