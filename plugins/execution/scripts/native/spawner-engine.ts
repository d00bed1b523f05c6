import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { getSystemErrorMessage, getSystemErrorName } from 'node:util';
import { FRAME_VERSION, type Frame, frame, frameReader, Report, Request, Stage, spawnPayload } from './frames.ts';
import type { ProcessHandle } from './process-handle.ts';

/** One running spawner process. */
export interface Engine {
  alive(): boolean;
  /** Resolves when the process and all its handles have ended. */
  readonly exited: Promise<void>;
  run(handle: ProcessHandle): void;
  /** Makes it kill everything and exit. */
  shutDown(): void;
}

interface Program {
  file: string;
  args: readonly string[];
  native: boolean;
}

/* The Node fallback needs PATH for mkfifo. The spawner gets nothing else of the agent's environment. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/** The last reports of a process. */
const FINAL_REPORTS: ReadonlySet<number> = new Set([Report.exit, Report.failed, Report.lost]);

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
  if (stage === Stage.prepare) return { error: `${program}: the process could not be created: ${reason}`, code };
  const unknown = code === 'ENOENT' && !program?.includes('/');
  return { error: `${program}: ${unknown ? 'command not found' : reason}`, code };
}

function report(handle: ProcessHandle, { type, payload }: Frame): void {
  if (type === Report.started) {
    handle.started(payload.readInt32LE(0), identity(payload, 4), identity(payload, 20));
  } else if (type === Report.output) {
    handle.output(payload.readUInt8(0) === 2 ? 'stderr' : 'stdout', payload.subarray(1));
  } else if (type === Report.said) {
    handle.handleMessage(payload);
  } else if (type === Report.synced) {
    handle.synced();
  } else if (type === Report.failed) {
    const { error, code } = failure(handle, payload.readInt32LE(0), payload.readInt32LE(4));
    handle.fail(error, code);
  } else if (type === Report.lost) {
    handle.lose('the process was lost: its keeper was killed');
  } else if (type === Report.exit) {
    const code = payload.readInt32LE(0);
    const signal = payload.readInt32LE(4);
    handle.exited(
      code < 0 ? { exit_code: null, signal: names.get(signal) ?? `SIG${signal}` } : { exit_code: code, signal: null },
    );
  }
}

/** Kills groups that a dead spawner without keepers leaves running. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The group has already ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Starts a spawner process. Rejects if it sends no hello. */
export function startEngine(program: Program): Promise<Engine> {
  return new SpawnerProcess(program).ready;
}

class SpawnerProcess implements Engine {
  readonly ready: Promise<Engine>;
  readonly exited: Promise<void>;
  readonly #program: Program;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ready = Promise.withResolvers<Engine>();
  readonly #exited = Promise.withResolvers<void>();
  readonly #running = new Map<number, ProcessHandle>();
  readonly #pids = new Map<number, number>();
  #alive = true;
  #is_closed = false;
  #count = 0;
  #last_error = '';

  constructor(program: Program) {
    this.#program = program;
    this.ready = this.#ready.promise;
    this.exited = this.#exited.promise;
    // In its own session, because an interrupt at the terminal is for the agent, which stops its scripts in order.
    this.#child = spawn(program.file, program.args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
      env: ENVIRONMENT,
    });
    this.#listen();
  }

  alive(): boolean {
    return this.#alive && !this.#is_closed;
  }

  run(handle: ProcessHandle): void {
    if (this.#is_closed) return handle.fail('the spawner is closed');
    if (!this.#alive) return handle.lose('the spawner ended before it started the process');
    const id = ++this.#count;
    this.#running.set(id, handle);
    const { stdin } = this.#child;
    stdin.write(frame(handle.prepared ? Request.prepare : Request.spawn, id, spawnPayload(handle.request)));
    handle.attach((type, payload) => stdin.write(frame(type, id, payload)));
  }

  shutDown(): void {
    this.#is_closed = true;
    this.#child.stdin.end();
  }

  #listen(): void {
    const child = this.#child;
    // The exit of a lost spawner is reported; unwritten data no longer matters.
    const recordError = (error: Error) => {
      this.#last_error = error.message;
    };
    child.stdout.on(
      'data',
      frameReader((received) => this.#receive(received)),
    );
    child.stdout.on('error', recordError);
    child.stdin.on('error', recordError);
    child.on('error', (error) => {
      recordError(error);
      if (child.pid === undefined) this.#finish(this.#last_error);
    });
    child.on('close', (code, signal) => this.#finish(`exit ${code ?? signal}`));
  }

  #receive(received: Frame): void {
    if (received.type === Report.hello) return this.#greet(received.payload.readUInt32LE(0));
    const handle = this.#running.get(received.process);
    if (!handle) return;
    if (received.type === Report.started) this.#pids.set(received.process, received.payload.readInt32LE(0));
    if (FINAL_REPORTS.has(received.type)) {
      this.#running.delete(received.process);
      this.#pids.delete(received.process);
    }
    report(handle, received);
  }

  #greet(version: number): void {
    if (version === FRAME_VERSION) return this.#ready.resolve(this);
    this.#last_error = `it speaks version ${version} of the frames, not ${FRAME_VERSION}`;
    this.shutDown();
  }

  #finish(how: string): void {
    if (!this.#alive) return;
    this.#alive = false;
    if (!this.#program.native) for (const pid of this.#pids.values()) killGroup(pid);
    const cause = [how, this.#last_error].filter(Boolean).join(', ');
    const text = this.#is_closed ? 'the spawner was closed' : `the spawner ended (${cause})`;
    for (const handle of this.#running.values())
      if (this.#is_closed) handle.fail(text);
      else handle.lose(text);
    this.#running.clear();
    this.#ready.reject(new Error(`${this.#program.file}: ${text}`));
    this.#exited.resolve();
  }
}
