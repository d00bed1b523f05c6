import { dirname } from 'node:path';
import { isServiceError, type Log } from '../../../../kernel/contracts/index.ts';
import type { ActivityHost, Assignment, PassEnd, RunningPass } from '../../agents/contract.ts';
import type { OpenReplay } from '../../replay/contract.ts';
import { ProgramLost, type ScriptWork } from '../contract.ts';
import { originalSource } from '../domain/bundled.ts';
import { Capture } from '../domain/command-spec.ts';
import { recordedVars } from '../domain/environment.ts';
import { passInput, findJob, readSpec } from '../domain/script-spec.ts';
import type { Sandbox } from '../isolation/sandbox.ts';
import type { ProcessExit, SpawnRequest } from '../native/spawner.ts';
import { attemptProgramPath } from '../native/verb-client.ts';
import { PassSocket, type SocketServer } from '../socket/server.ts';
import type { PreparedProcess } from '../warm/prepared-process.ts';
import type { WarmContext } from '../warm/warm-interpreters.ts';
import { loadIncludedFiles } from './included-files.ts';
import { checkOutWorkspace } from './pass-checkout.ts';
import {
  findProgramInPass,
  hiddenNames,
  interpreterCommand,
  passEnvironment,
  scriptArguments,
} from './pass-command.ts';
import { createPassFolder, type PassFolder, readableFolderName } from './pass-folder.ts';
import type { PassDeps } from './pass-deps.ts';
import { PassProcess } from './pass-process.ts';
import { claimPreparedProcess } from './prepared-pass.ts';
import { type SdkLinks, sdkFolders } from './sdk-folder.ts';
import { interruptedScript, isKilledExternally, startFailure, buildPassResult } from './pass-result.ts';

/** What ends a pass early: an end, or an error of the service that releases the activity. */
type EarlyEnd = { end: PassEnd } | { error: unknown };

/** What a pass opens on its way, and closes at its end. */
interface PassResources {
  prepared?: PreparedProcess;
  folder?: PassFolder;
  sandbox?: Sandbox;
  server?: SocketServer;
}

/** One run of a script from its first line until it ends, parks or is stopped. */
export class ScriptPass implements RunningPass {
  readonly result: Promise<PassEnd>;
  readonly #deps: PassDeps;
  readonly #assignment: Assignment;
  readonly #host: ActivityHost;
  readonly #journal: OpenReplay;
  readonly #process: PassProcess;
  readonly #resources: PassResources = {};
  #early_end: EarlyEnd | undefined;
  #has_ended = false;
  #source = '';

  constructor(deps: PassDeps, assignment: Assignment, host: ActivityHost) {
    this.#deps = deps;
    this.#assignment = assignment;
    this.#host = host;
    this.#process = new PassProcess(host, deps.clock);
    this.#journal = deps.replay.open({
      assignment,
      host,
      clock: deps.clock,
      job: findJob(assignment.spec),
      source: () => this.#source,
      flushLog: () => this.#process.flush(),
      onCallBegin: (call) => this.#process.beginCall(call),
      endPass: (end) => this.#endEarly({ end }),
      onServiceError: (error) => this.#endEarly({ error }),
    });
    this.result = this.#run();
  }

  stop(why: 'revoked' | 'draining' | 'killed'): void {
    // From here on the processes report only that they are being stopped, so nothing more is recorded.
    this.#journal.freeze();
    this.#early_end ??= { end: why === 'draining' ? { end: 'released' } : { end: 'lost' } };
    this.#resources.server?.cancelCalls();
    if (this.#has_ended) return;
    this.#process.kill('SIGTERM');
    const cancel = this.#deps.clock.after(this.#deps.grace_ms, () => this.#process.kill('SIGKILL'));
    // `ended` reports the end of the pass; here it only cancels the grace period.
    void this.result.then(cancel, cancel);
  }

  /** Kills at once, because anything the script does from here on would belong to no pass. */
  #endEarly(early_end: EarlyEnd): void {
    // The database already holds the parked activity, so parking wins over any other end.
    const parked = 'end' in early_end && early_end.end.end === 'parked';
    if (this.#early_end === undefined || parked) this.#early_end = early_end;
    this.#resources.server?.cancelCalls();
    this.#process.kill('SIGKILL');
  }

  async #run(): Promise<PassEnd> {
    try {
      return await this.#runScript();
    } catch (error) {
      if (this.#early_end !== undefined && 'end' in this.#early_end) return this.#early_end.end;
      // The process that started git was killed; the next pass fetches again.
      if (error instanceof ProgramLost) return interruptedScript(this.#journal, `lost (${error.message})`);
      if (!isServiceError(error) || error.status >= 500) throw error;
      return {
        end: 'completed',
        completion: { status: 'failed', code: error.code, message: `${error.message}\n${error.next}` },
      };
    } finally {
      this.#has_ended = true;
      await closeResources(this.#resources, this.#deps.log);
    }
  }

  async #runScript(): Promise<PassEnd> {
    const { agent } = this.#host;
    const { env: agent_env, node, isolation, in_shell } = this.#deps;
    const spec = readSpec(this.#assignment.spec);
    this.#source = originalSource(spec.source);
    const client_folder = await this.#deps.client(agent.runtime_dir);
    const spawner = await this.#deps.spawner(agent.runtime_dir);
    const links = await this.#deps.sdks(agent);

    const prepared = await this.#claimPrepared(spec, { spawner, client_folder, links });
    this.#resources.prepared = prepared;
    const folder = prepared?.folder ?? (await this.#createFolder(spec, links));
    this.#resources.folder = folder;
    const ground = await isolation.openSandbox(this.#assignment, agent, {
      runtime_dir: agent.runtime_dir,
      folder: folder.folder,
      tools: [client_folder, ...sdkFolders(agent.runtime_dir)],
    });
    this.#resources.sandbox = ground;

    const { socket, input_file } = folder;
    const location = { socket, input_file, client_folder, agent };
    const workspace =
      spec.checkout &&
      (await checkOutWorkspace(spec.checkout, {
        assignment: this.#assignment,
        host: this.#host,
        clock: this.#deps.clock,
        folder: folder.folder,
        spawner,
        sandbox: ground,
        process: this.#process,
        env: passEnvironment(this.#assignment, agent_env, location),
        find: (name) => findProgramInPass(name, ground, { agent, env: agent_env }),
        isStopped: () => this.#early_end !== undefined,
      }));
    if (this.#early_end !== undefined) return resultOf(this.#early_end);

    const interpreter = await interpreterCommand(spec, node, (name) =>
      findProgramInPass(name, ground, { agent, env: agent_env, what: 'interpreter ' }),
    );
    this.#resources.server = await this.#serve(spec, client_folder);
    await ground.grantAccess(socket);
    const env = passEnvironment(this.#assignment, agent_env, { ...location, workspace });
    const shell_env = await in_shell?.variables(client_folder, interpreter, env);
    if (this.#early_end !== undefined) return resultOf(this.#early_end);

    const request = ground.toSpawnRequest({
      argv: [...interpreter, ...scriptArguments(spec, interpreter, folder.source)],
      env: { ...env, ...shell_env },
      cwd: workspace ?? ground.workdir,
    });
    const names = hiddenNames(spec, folder.source);
    const capture = spec.captures ? new Capture() : undefined;
    const end =
      (await this.#runPrepared(request, (process) => this.#process.followScript(process, capture, names))) ??
      (await this.#process.followScript(spawner.spawn(request), capture, names));
    return this.#conclude(await ground.interpretEnd(end), capture);
  }

  /** Takes an interpreter that waits for such a script; undefined when there is none. */
  async #claimPrepared(spec: ScriptWork, place: Omit<WarmContext, 'agent'>): Promise<PreparedProcess | undefined> {
    const { agent } = this.#host;
    // A prepared folder is in memory, and a repository may be large.
    if (spec.checkout !== undefined) return undefined;
    if (this.#deps.isolation.isolates(this.#assignment, agent)) return undefined;
    const warm = this.#deps.warm({ agent, ...place });
    if (!warm) return undefined;
    const { env, node, in_shell, log, isolation } = this.#deps;
    const work = {
      spec,
      assignment: this.#assignment,
      agent,
      client_folder: place.client_folder,
      env,
      node,
      in_shell,
      log,
      user: await isolation.user(this.#assignment, agent),
      ended: this.result,
    };
    return await claimPreparedProcess(warm, work, (process) => {
      // It may take long to become ready, and a stop must reach it.
      this.#process.track(process);
      if (this.#early_end !== undefined) process.kill('SIGKILL');
    });
  }

  /** Creates the folder of the pass: in memory if possible, on the disk for work that may fill it. */
  #createFolder(spec: ScriptWork, links: SdkLinks): Promise<PassFolder> {
    const { ids, log, isolation } = this.#deps;
    const { memory_dir, runtime_dir } = this.#host.agent;
    // Isolated programs and repositories have their own folders below that of the pass, and may fill them.
    const needs_disk = isolation.isolates(this.#assignment, this.#host.agent) || spec.checkout !== undefined;
    return createPassFolder(needs_disk || memory_dir === undefined ? [runtime_dir] : [memory_dir, runtime_dir], {
      name: `p${ids.bytes(6).toString('hex')}`,
      spec,
      links,
      included_files: loadIncludedFiles(spec.files, this.#host.contents),
      log,
      envelope: passInput(spec, this.#assignment.envelope),
      vars: recordedVars(this.#assignment),
    });
  }

  /** Serves the verbs that the script calls. */
  async #serve(spec: ScriptWork, client_folder: string): Promise<SocketServer> {
    const { prepared, folder, sandbox } = this.#resources;
    const socket = prepared?.socket ?? (await PassSocket.open(folder!.socket));
    return socket.serve({
      verbs: this.#deps.verbs,
      journal: (alive) => this.#journal.for(alive),
      envelope: passInput(spec, this.#assignment.envelope),
      files: this.#host.files,
      contents: this.#host.contents,
      tokens: this.#host.tokens,
      included_files: spec.files && { folder: dirname(folder!.source), files: spec.files },
      disk_view: sandbox!.disk_view,
      createReadableFolder: () =>
        sandbox!.createReadableFolder(this.#host.agent.runtime_dir, readableFolderName(this.#deps.ids)),
      agent_env: this.#deps.env,
      log_name: () => this.#process.log_name,
      attempts: { path: attemptProgramPath(client_folder), grace_ms: this.#deps.grace_ms },
      clock: this.#deps.clock,
      log: this.#deps.log,
    });
  }

  /** Runs the script in the prepared process. Returns undefined if that did not take the script, so nothing of it has run. */
  async #runPrepared(
    request: SpawnRequest,
    follow: (process: PreparedProcess) => Promise<ProcessExit>,
  ): Promise<ProcessExit | undefined> {
    const { prepared } = this.#resources;
    if (!prepared?.is_usable || !prepared.assign(request.cwd, request.env)) return undefined;
    const end = await follow(prepared);
    const { log } = this.#deps;
    if (prepared.is_claimed) log.debug({ exit_code: end.exit_code }, 'a prepared interpreter has run a script');
    // When the spawner is lost nobody can tell: the script may have run, and may not have ended yet.
    if (prepared.is_claimed || end.error !== undefined || this.#early_end !== undefined) return end;
    log.info(
      { reason: prepared.noise },
      'a prepared interpreter did not accept its script; starting the script without it',
    );
    return undefined;
  }

  #conclude(end: ProcessExit, capture: Capture | undefined): PassEnd {
    this.#journal.freeze();
    if (this.#early_end !== undefined) return resultOf(this.#early_end);
    if (end.lost) return interruptedScript(this.#journal, `lost (${end.error})`);
    if (end.error !== undefined) throw startFailure(end.error, end.error_code);
    if (isKilledExternally(end)) return interruptedScript(this.#journal, `killed by ${end.signal}`);
    return buildPassResult(end, this.#journal, {
      tail: () => this.#process.tail(),
      capture,
      masker: this.#host.masker,
    });
  }
}

function resultOf(early_end: EarlyEnd): PassEnd {
  if ('error' in early_end) throw early_end.error;
  return early_end.end;
}

/** Closes what a pass has opened. A folder that cannot be removed now is removed with the agent's folder, so it fails no run. */
async function closeResources({ prepared, folder, sandbox, server }: PassResources, log: Log): Promise<void> {
  // A prepared process that did not take the script still waits.
  prepared?.kill('SIGKILL');
  await prepared?.ended;
  await prepared?.socket.close();
  await server?.close();
  await sandbox?.close();
  try {
    await folder?.remove();
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'removing the folder of a pass failed');
  }
}
