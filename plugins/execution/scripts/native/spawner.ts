import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativePrograms } from './build.mjs';
import { NativeErrors } from './errors.ts';
import {
  type PreparedHandle,
  ProcessHandle,
  findRequestProblem,
  type SpawnedProcess,
  type SpawnRequest,
} from './process-handle.ts';
import { type Engine, startEngine } from './spawner-engine.ts';

export { MAX_SOCKET_BYTES } from './process-handle.ts';
export type { OutputListener, PreparedHandle, ProcessExit, SpawnedProcess, SpawnRequest } from './process-handle.ts';

export interface SpawnerOptions {
  /** The agent's private folder (0700), in which the fallback creates its pipes. */
  runtime_dir: string;
  /** True requires the native spawner, false the Node one; by default the native one is used if available. */
  native?: boolean;
  /** A native program other than the one compiled here. */
  program?: string;
}

/** Starts the processes of an agent through one small long-lived process, each in its own session and group. */
export interface Spawner {
  readonly native: boolean;
  /** Never throws: a process that could not be started ends with `error`. */
  spawn(request: SpawnRequest): SpawnedProcess;
  /** Like `spawn`, with a socket to the process. Only if `native`. */
  prepare(request: SpawnRequest): PreparedHandle;
  /** Kills all processes. Resolves when they and the spawner have ended. Safe to call twice. */
  close(): Promise<void>;
}

interface Program {
  file: string;
  args: string[];
  native: boolean;
}

function fallback(options: SpawnerOptions): Program {
  const script = fileURLToPath(new URL('./spawner.mjs', import.meta.url));
  return { file: process.execPath, args: [script, options.runtime_dir], native: false };
}

async function candidates(options: SpawnerOptions): Promise<Program[]> {
  if (options.program) return [{ file: options.program, args: [], native: true }];
  if (options.native === false) return [fallback(options)];
  const { programs, why } = await nativePrograms();
  const native = programs.spawner ? [{ file: programs.spawner, args: [], native: true }] : [];
  if (options.native && native.length === 0) throw NativeErrors.spawnerUnavailable(why ?? 'It was not compiled.');
  return options.native ? native : [...native, fallback(options)];
}

/** Returns the first one that runs, because a native program may be compiled for another machine. */
async function startFirstAvailable(programs: readonly Program[]): Promise<{ engine: Engine; program: Program }> {
  let cause: unknown;
  for (const program of programs)
    try {
      return { engine: await startEngine(program), program };
    } catch (error) {
      cause = error;
    }
  const detail = cause instanceof Error ? cause.message : 'There is none.';
  throw NativeErrors.spawnerUnavailable(detail, { cause });
}

/** Opens the spawner of this agent. Rejects with `spawner_unavailable`. */
export async function openSpawner(options: SpawnerOptions): Promise<Spawner> {
  const { engine: initial_engine, program } = await startFirstAvailable(await candidates(options));
  let engine = Promise.resolve(initial_engine);
  let closed = false;

  /** Returns the running engine, or a new one if that has died. Serialised, so that only one is started. */
  const ensureEngine = (): Promise<Engine> => {
    engine = engine.then(
      (current) => (current.alive() || closed ? current : startEngine(program)),
      () => startEngine(program),
    );
    return engine;
  };

  const start = (request: SpawnRequest, prepared: boolean): ProcessHandle => {
    const handle = new ProcessHandle({ ...request, cwd: resolve(request.cwd) }, prepared);
    const problem = closed ? 'the spawner is closed' : findRequestProblem(request);
    if (problem) handle.fail(problem);
    else
      ensureEngine().then(
        (current) => current.run(handle),
        // The previous one was killed and this one does not start, so the process is lost with them.
        (error: Error) => handle.lose(`the spawner did not start: ${error.message}`),
      );
    return handle;
  };

  return {
    native: program.native,
    spawn: (request) => start(request, false),
    prepare: (request) => start(request, true),
    async close() {
      closed = true;
      const last = await engine.catch(() => undefined);
      last?.shutDown();
      await last?.exited;
    },
  };
}
