import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { getSystemErrorMessage, getSystemErrorName } from 'node:util';
import { FRAME_VERSION, type Frame, frame, frameReader, Report, Request, Stage, spawnPayload } from './frames.ts';
import type { ProcessHandle } from './process-handle.ts';

/** One running spawner process. */
export interface Engine {
  alive(): boolean;
  /** Resolves when the process is gone and all its handles have ended. */
  readonly gone: Promise<void>;
  run(handle: ProcessHandle): void;
  /** Has it kill everything and end. */
  end(): void;
}

interface Program {
  file: string;
  args: readonly string[];
  native: boolean;
}

/* The Node fallback looks for mkfifo; nothing of the agent's environment is for the spawner. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' };

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

function identity(payload: Buffer, at: number): string {
  return `${payload.readBigUInt64LE(at)}:${payload.readBigUInt64LE(at + 8)}`;
}

function failure(handle: ProcessHandle, stage: number, errno: number): { error: string; code: string } {
  const code = getSystemErrorName(-errno);
  const reason = getSystemErrorMessage(-errno) ?? code;
  const [program] = handle.request.argv;
  if (stage === Stage.directory)
    return { error: `the working directory ${handle.request.cwd} cannot be entered: ${reason}`, code };
  if (stage === Stage.prepare) return { error: `${program}: no process could be made: ${reason}`, code };
  const unknown = code === 'ENOENT' && !program?.includes('/');
  return { error: `${program}: ${unknown ? 'command not found' : reason}`, code };
}

function report(handle: ProcessHandle, { type, payload }: Frame): void {
  if (type === Report.started) {
    handle.started(payload.readInt32LE(0), identity(payload, 4), identity(payload, 20));
  } else if (type === Report.output) {
    handle.output(payload.readUInt8(0) === 2 ? 'stderr' : 'stdout', payload.subarray(1));
  } else if (type === Report.failed) {
    const { error, code } = failure(handle, payload.readInt32LE(0), payload.readInt32LE(4));
    handle.fail(error, code);
  } else if (type === Report.exit) {
    const code = payload.readInt32LE(0);
    const signal = payload.readInt32LE(4);
    handle.exited(
      code < 0 ? { exit_code: null, signal: names.get(signal) ?? `SIG${signal}` } : { exit_code: code, signal: null },
    );
  }
}

/** What a dead spawner without keepers leaves running. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Starts a spawner process; rejects when it does not greet. */
export function startEngine(program: Program): Promise<Engine> {
  const ready = Promise.withResolvers<Engine>();
  const gone = Promise.withResolvers<void>();
  const running = new Map<number, ProcessHandle>();
  const pids = new Map<number, number>();
  // A session of its own: an interrupt at the terminal is for the agent, which lets its scripts end in order.
  const child = spawn(program.file, program.args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
    env: ENVIRONMENT,
  });
  let alive = true;
  let ended = false;
  let count = 0;
  let fault = '';

  const engine: Engine = {
    alive: () => alive && !ended,
    gone: gone.promise,
    run(handle) {
      if (!engine.alive()) return handle.fail('the spawner is closed');
      const id = ++count;
      const { cwd, argv, env } = handle.request;
      running.set(id, handle);
      child.stdin.write(frame(Request.spawn, id, spawnPayload(cwd, argv, env)));
      handle.attach((type, payload) => child.stdin.write(frame(type, id, payload)));
    },
    end() {
      ended = true;
      child.stdin.end();
    },
  };

  const read = frameReader((received) => {
    if (received.type === Report.hello) {
      const version = received.payload.readUInt32LE(0);
      if (version === FRAME_VERSION) return ready.resolve(engine);
      fault = `it speaks version ${version} of the frames, not ${FRAME_VERSION}`;
      return engine.end();
    }
    const handle = running.get(received.process);
    if (!handle) return;
    if (received.type === Report.started) pids.set(received.process, received.payload.readInt32LE(0));
    if (received.type === Report.exit || received.type === Report.failed) {
      running.delete(received.process);
      pids.delete(received.process);
    }
    report(handle, received);
  });

  child.stdout.on('data', read);
  child.stdout.on('error', (error) => {
    fault = error.message;
  });
  // A spawner that is gone is told by its exit; what was to be written no longer matters.
  child.stdin.on('error', (error) => {
    fault = error.message;
  });
  child.on('error', (error) => {
    fault = error.message;
    if (child.pid === undefined) finish(fault);
  });
  child.on('close', (code, signal) => finish(`exit ${code ?? signal}`));

  function finish(how: string): void {
    if (!alive) return;
    alive = false;
    if (!program.native) for (const pid of pids.values()) killGroup(pid);
    const text = ended ? 'the spawner was closed' : `the spawner ended (${[how, fault].filter(Boolean).join(', ')})`;
    for (const handle of running.values()) handle.fail(text);
    running.clear();
    ready.reject(new Error(`${program.file}: ${text}`));
    gone.resolve();
  }

  return ready.promise;
}
