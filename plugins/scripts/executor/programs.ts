import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import { wholeMachine } from '../contract/file-room.ts';
import type { PlaceParts, ProgramEnd, ProgramPlace, Programs, ProgramStart, StartedProgram } from '../contract.ts';
import { checkOut } from '../checkout/check-out.ts';
import { type AgentEnvironment, agentPath, environmentFault, scriptEnvironment } from '../domain/environment.ts';
import { findProgram } from '../domain/interpreter.ts';
import type { Ground } from '../isolation/ground.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { interpreterMissing, scriptNotStarted } from '../errors.ts';
import { openSpawner, type Spawner } from '../native/spawner.ts';
import { attemptProgram } from '../native/verb-client.ts';
import { openSocketServer, type SocketServer } from '../socket/server.ts';
import { OutputRelay } from './output-relay.ts';
import { makePassFolderIn, type PassFolder } from './pass-folder.ts';
import { programLost } from './program-lost.ts';
import type { VerbClients } from './verb-clients.ts';

export interface ProgramParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  env: AgentEnvironment;
  clients: VerbClients;
  isolation: Isolation;
  /** Between SIGTERM and SIGKILL. */
  grace_ms: number;
}

/** One activity on this agent. */
interface Work extends Pick<PlaceParts, 'assignment' | 'host'> {
  folder: PassFolder;
  client_folder: string;
}

const NO_SOURCE = { filename: 'job', source: '', interpreter: undefined };

/** Opens the spawner at the first activity. */
export class AgentPrograms implements Programs {
  readonly #parts: ProgramParts;
  #spawner: Promise<Spawner> | undefined;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  async open({ assignment, host, verbs, journal }: PlaceParts): Promise<ProgramPlace> {
    const { ids, log, env } = this.#parts;
    const { runtime_dir, name, id } = host.agent;
    const client_folder = await this.#parts.clients.folder(runtime_dir);
    const spawner = await this.#openSpawner(runtime_dir);
    const folder = await makePassFolderIn([runtime_dir], {
      ...{ spec: NO_SOURCE, log, envelope: assignment.envelope },
      name: `j${ids.bytes(6).toString('hex')}`,
    });
    const { socket, input_file } = folder;
    const work = { assignment, host, folder, client_folder };
    const { ground, server } = await this.#serve(work, { verbs, journal }).catch(async (error: unknown) => {
      await folder.remove();
      throw error;
    });
    const environment = (variables: Readonly<Record<string, string>>) => {
      const workflow = { ...assignment.environment.workflow, ...variables };
      const job = { ...assignment, environment: { ...assignment.environment, workflow } };
      const made = scriptEnvironment(job, env, { socket, input_file, client_folder, agent: host.agent });
      const fault = environmentFault(made);
      if (fault !== undefined) throw scriptNotStarted(fault);
      return made;
    };
    const find = async (program: string) => {
      const path = await ground.find(program, agentPath(env));
      if (path !== undefined) return path;
      throw interpreterMissing(`agent ${name} (${id}) has no program ${JSON.stringify(program)} on its PATH`);
    };
    const start = (program: ProgramStart) => this.#start(spawner, ground, program, host);
    return {
      folder: folder.folder,
      room: ground.room ?? wholeMachine,
      give: (path) => ground.give(path),
      makeFolder: (path) => ground.folder(path),
      makeParent: (path) => ground.parent(path),
      environment,
      find,
      start,
      checkOut: (request) =>
        checkOut({ folder: folder.folder, find, start, env: environment({}), assignment }, request),
      gone: () => server.gone(),
      async close() {
        await server.close();
        await ground.close();
        await folder.remove().catch((error: Error) => {
          log.warn({ error: error.message }, 'removing the folder of a job failed');
        });
      },
    };
  }

  async #serve(
    { assignment, host, folder, client_folder }: Work,
    { verbs, journal }: Pick<PlaceParts, 'verbs' | 'journal'>,
  ): Promise<{ ground: Ground; server: SocketServer }> {
    const { clock, isolation, log } = this.#parts;
    const { runtime_dir } = host.agent;
    const place = { runtime_dir, folder: folder.folder, tools: [client_folder] };
    const ground = await isolation.ground(assignment, host.agent, place);
    try {
      const service = {
        verbs,
        journal,
        envelope: assignment.envelope,
        files: host.files,
        room: ground.room,
        log_name: () => Promise.resolve(''),
        attempts: { path: attemptProgram(client_folder), grace_ms: this.#parts.grace_ms },
        clock,
        log,
      };
      const server = await openSocketServer(folder.socket, service);
      await ground.give(folder.socket);
      return { ground, server };
    } catch (error) {
      await ground.close();
      throw error;
    }
  }

  isolation(): Promise<string | undefined> {
    return this.#parts.isolation.fault();
  }

  async has(program: string): Promise<boolean> {
    return (await findProgram(program, agentPath(this.#parts.env), '/')) !== undefined;
  }

  async close(): Promise<void> {
    const opened = this.#spawner;
    this.#spawner = undefined;
    const spawner = await opened?.catch(() => undefined);
    await spawner?.close();
  }

  #start(spawner: Spawner, ground: Ground, program: ProgramStart, host: PlaceParts['host']): StartedProgram {
    const { clock, grace_ms } = this.#parts;
    const process = spawner.spawn(ground.request(program));
    const relay = new OutputRelay(process, host, clock, program.names);
    const ended = process.ended.then(async (given): Promise<ProgramEnd> => {
      const end = await ground.ended(given);
      relay.end();
      const tail = relay.tail();
      if (end.error === undefined) return { exit_code: end.exit_code, signal: end.signal, tail };
      if (end.lost) throw programLost(end.error);
      // It is a fault of the agent; another try is right.
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
      // The next activity tries again: the cause may be fixed by then.
      this.#spawner = undefined;
      throw error;
    });
    return this.#spawner;
  }
}
