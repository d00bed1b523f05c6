import type { Clock, Ids, Log } from '../../../../kernel/contracts/index.ts';
import { unrestrictedDisk } from '../contract/disk-view.ts';
import type {
  ProgramHostOptions,
  ProgramExit,
  ProgramHost,
  Programs,
  ProgramRequest,
  StartedProgram,
} from '../contract.ts';
import { checkOut } from '../checkout/check-out.ts';
import {
  type AgentEnvironment,
  agentPath,
  findEnvironmentProblem,
  recordedVars,
  scriptEnvironment,
} from '../domain/environment.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { Sandbox } from '../isolation/sandbox.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { interpreterMissing, scriptNotStarted } from '../errors.ts';
import { openSpawner, type Spawner } from '../native/spawner.ts';
import { attemptProgramPath } from '../native/verb-client.ts';
import type { ConnectionServices } from '../socket/connection.ts';
import { openSocketServer, type SocketServer } from '../socket/server.ts';
import { OutputRelay } from './output-relay.ts';
import { createPassFolder, type PassFolder, readableFolderName } from './pass-folder.ts';
import { programLost } from './program-lost.ts';
import type { VerbClients } from './verb-clients.ts';

export interface ProgramDeps {
  clock: Clock;
  ids: Ids;
  log: Log;
  env: AgentEnvironment;
  clients: VerbClients;
  isolation: Isolation;
  /** The grace period between SIGTERM and SIGKILL. */
  grace_ms: number;
}

/** One activity on this agent. */
interface Work extends Pick<ProgramHostOptions, 'assignment' | 'host'> {
  folder: PassFolder;
  client_folder: string;
}

const NO_SOURCE = { filename: 'job', source: '', interpreter: undefined };

/** Opens the spawner at the first activity. */
export class AgentPrograms implements Programs {
  readonly #deps: ProgramDeps;
  #spawner: Promise<Spawner> | undefined;

  constructor(deps: ProgramDeps) {
    this.#deps = deps;
  }

  async open({ assignment, host, verbs, journal }: ProgramHostOptions): Promise<ProgramHost> {
    const { ids, log, env } = this.#deps;
    const { runtime_dir, name, id } = host.agent;
    const client_folder = await this.#deps.clients.folder(runtime_dir);
    const spawner = await this.#openSpawner(runtime_dir);
    const folder = await createPassFolder([runtime_dir], {
      spec: NO_SOURCE,
      log,
      envelope: assignment.envelope,
      vars: recordedVars(assignment),
      name: `j${ids.bytes(6).toString('hex')}`,
    });
    const { socket, input_file } = folder;
    const work = { assignment, host, folder, client_folder };
    const { sandbox, server } = await this.#serve(work, { verbs, journal }).catch(async (error: unknown) => {
      await folder.remove();
      throw error;
    });
    const environment = (variables: Readonly<Record<string, string>>) => {
      const workflow = { ...assignment.environment.workflow, ...variables };
      const job = { ...assignment, environment: { ...assignment.environment, workflow } };
      const process_env = scriptEnvironment(job, env, { socket, input_file, client_folder, agent: host.agent });
      const problem = findEnvironmentProblem(process_env);
      if (problem !== undefined) throw scriptNotStarted(problem);
      return process_env;
    };
    const find = async (program: string) => {
      const path = await sandbox.find(program, agentPath(env));
      if (path !== undefined) return path;
      throw interpreterMissing(`agent ${name} (${id}) has no program ${JSON.stringify(program)} on its PATH`);
    };
    const start = (program: ProgramRequest) => this.#start(spawner, sandbox, program, host);
    return {
      folder: folder.folder,
      disk_view: sandbox.disk_view ?? unrestrictedDisk,
      grantAccess: (path) => sandbox.grantAccess(path),
      createFolder: (path) => sandbox.createFolder(path),
      createParentFolder: (path) => sandbox.createParentFolder(path),
      createReadableFolder: () => sandbox.createReadableFolder(runtime_dir, readableFolderName(ids)),
      environment,
      find,
      start,
      checkOut: (request) =>
        checkOut({ folder: folder.folder, find, start, env: environment({}), assignment }, request),
      cancelCalls: () => server.cancelCalls(),
      async close() {
        await server.close();
        await sandbox.close();
        await folder.remove().catch((error: Error) => {
          log.warn({ error: error.message }, 'removing the folder of a job failed');
        });
      },
    };
  }

  async #serve(
    { assignment, host, folder, client_folder }: Work,
    { verbs, journal }: Pick<ProgramHostOptions, 'verbs' | 'journal'>,
  ): Promise<{ sandbox: Sandbox; server: SocketServer }> {
    const { clock, isolation, log, env } = this.#deps;
    const { runtime_dir } = host.agent;
    const location = { runtime_dir, folder: folder.folder, tools: [client_folder] };
    const sandbox = await isolation.openSandbox(assignment, host.agent, location);
    try {
      const service: ConnectionServices = {
        verbs,
        journal,
        envelope: assignment.envelope,
        files: host.files,
        tokens: host.tokens,
        disk_view: sandbox.disk_view,
        createReadableFolder: () => sandbox.createReadableFolder(runtime_dir, readableFolderName(this.#deps.ids)),
        agent_env: env,
        log_name: () => Promise.resolve(''),
        attempts: { path: attemptProgramPath(client_folder), grace_ms: this.#deps.grace_ms },
        clock,
        log,
      };
      const server = await openSocketServer(folder.socket, service);
      await sandbox.grantAccess(folder.socket);
      return { sandbox, server };
    } catch (error) {
      await sandbox.close();
      throw error;
    }
  }

  isolation(): Promise<string | undefined> {
    return this.#deps.isolation.findProblem();
  }

  async has(program: string): Promise<boolean> {
    return (await findProgram(program, agentPath(this.#deps.env), '/')) !== undefined;
  }

  async close(): Promise<void> {
    const opened = this.#spawner;
    this.#spawner = undefined;
    const spawner = await opened?.catch(() => undefined);
    await spawner?.close();
  }

  #start(
    spawner: Spawner,
    sandbox: Sandbox,
    program: ProgramRequest,
    host: ProgramHostOptions['host'],
  ): StartedProgram {
    const { clock, grace_ms } = this.#deps;
    const process = spawner.spawn(sandbox.toSpawnRequest(program));
    const relay = new OutputRelay(process, host, clock, program.names);
    const ended = process.ended.then(async (process_end): Promise<ProgramExit> => {
      const end = await sandbox.interpretEnd(process_end);
      relay.finish();
      const tail = relay.tail();
      if (end.error === undefined) return { exit_code: end.exit_code, signal: end.signal, tail };
      if (end.lost) throw programLost(end.error);
      // An error of the agent, for which a retry may help.
      if (end.error_code === undefined) throw new Error(end.error);
      throw scriptNotStarted(`${program.argv[0]} could not be started: ${end.error}`);
    });
    let stopping = false;
    return {
      ended,
      stop() {
        if (stopping) return;
        stopping = true;
        process.kill('SIGTERM');
        const cancel = clock.after(grace_ms, () => process.kill('SIGKILL'));
        // `ended` reports the end; here it only cancels the grace period.
        void ended.then(cancel, cancel);
      },
    };
  }

  #openSpawner(runtime_dir: string): Promise<Spawner> {
    this.#spawner ??= openSpawner({ runtime_dir }).catch((error) => {
      // The next activity tries again, because the cause may be fixed by then.
      this.#spawner = undefined;
      throw error;
    });
    return this.#spawner;
  }
}
