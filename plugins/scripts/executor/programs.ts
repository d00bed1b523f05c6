import type { Clock, Ids, Log } from '../../../kernel/contracts/index.ts';
import type { PlaceParts, ProgramEnd, ProgramPlace, Programs, ProgramStart, StartedProgram } from '../contract.ts';
import { type AgentEnvironment, agentPath, environmentFault, scriptEnvironment } from '../domain/environment.ts';
import { findProgram } from '../domain/interpreter.ts';
import { interpreterMissing, scriptNotStarted } from '../errors.ts';
import { openSpawner, type Spawner } from '../native/spawner.ts';
import { openSocketServer } from '../socket/server.ts';
import { OutputRelay } from './output-relay.ts';
import { makePassFolder } from './pass-folder.ts';
import type { VerbClients } from './verb-clients.ts';

export interface ProgramParts {
  clock: Clock;
  ids: Ids;
  log: Log;
  env: AgentEnvironment;
  clients: VerbClients;
  /** Between SIGTERM and SIGKILL. */
  grace_ms: number;
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
    const { runtime_dir, workdir, name, id } = host.agent;
    const client_folder = await this.#parts.clients.folder(runtime_dir);
    const spawner = await this.#openSpawner(runtime_dir);
    const folder = await makePassFolder(
      runtime_dir,
      `j${ids.bytes(6).toString('hex')}`,
      NO_SOURCE,
      assignment.envelope,
    );
    const { socket, input_file } = folder;
    const service = { verbs, journal, files: host.files, log_name: () => Promise.resolve(''), log };
    const server = await openSocketServer(socket, service).catch(async (error: unknown) => {
      await folder.remove();
      throw error;
    });
    return {
      folder: folder.folder,
      environment: (variables) => {
        const workflow = { ...assignment.environment.workflow, ...variables };
        const job = { ...assignment, environment: { ...assignment.environment, workflow } };
        const made = scriptEnvironment(job, env, { socket, input_file, client_folder, agent: host.agent });
        const fault = environmentFault(made);
        if (fault !== undefined) throw scriptNotStarted(fault);
        return made;
      },
      async find(program) {
        const path = await findProgram(program, agentPath(env), workdir);
        if (path !== undefined) return path;
        throw interpreterMissing(`agent ${name} (${id}) has no program ${JSON.stringify(program)} on its PATH`);
      },
      start: (program) => this.#start(spawner, program, host),
      gone: () => server.gone(),
      async close() {
        await server.close();
        await folder.remove().catch((error: Error) => {
          log.warn({ error: error.message }, 'removing the folder of a job failed');
        });
      },
    };
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

  #start(spawner: Spawner, program: ProgramStart, host: PlaceParts['host']): StartedProgram {
    const { clock, grace_ms } = this.#parts;
    const process = spawner.spawn(program);
    const relay = new OutputRelay(process, host, clock);
    const ended = process.ended.then((end): ProgramEnd => {
      const tail = relay.tail();
      if (end.error === undefined) return { exit_code: end.exit_code, signal: end.signal, tail };
      // A lost spawner is a fault of the agent; another try is right.
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
