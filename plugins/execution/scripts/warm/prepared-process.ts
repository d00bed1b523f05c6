import { existsSync } from 'node:fs';
import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { PassFolder } from '../executor/pass-folder.ts';
import { MAX_SOCKET_BYTES, type OutputListener, type PreparedHandle, type ProcessExit } from '../native/spawner.ts';
import type { SpawnedProcess } from '../native/spawner.ts';
import type { PassSocket } from '../socket/server.ts';
import { isUnchanged, type ProgramFile, readProcessProgram } from './program-file.ts';

/** The time that an interpreter has from its start until it waits for a pass. */
const PREPARE_TIMEOUT_MS = 10_000;
/** The time that the process has to confirm the hand-over, which it needs only when something is wrong. */
const ASSIGN_TIMEOUT_MS = 5000;
const MAX_NOISE_LENGTH = 1000;
const READY = 'r';
const CLAIMED = 't';

export type Variables = Readonly<Record<string, string>>;

interface PreparedProcessOptions {
  clock: Clock;
  handle: PreparedHandle;
  /** The folder in which the script will lie. */
  folder: PassFolder;
  /** The agent socket, in that folder. */
  socket: PassSocket;
  /** The environment that the interpreter was started with. */
  env: Variables;
  program: ProgramFile;
}

/**
 * An interpreter that waits for its pass. Until it confirms the hand-over, no line of the script has run and none of
 * its output belongs to the script.
 */
export class PreparedProcess implements SpawnedProcess {
  readonly folder: PassFolder;
  readonly socket: PassSocket;
  /** Resolves to true once it waits without any problem, and to false if it ends before. */
  readonly ready: Promise<boolean>;
  readonly pid: Promise<number>;
  readonly log: Promise<string>;
  readonly error_log: Promise<string>;
  readonly ended: Promise<ProcessExit>;
  readonly #clock: Clock;
  readonly #handle: PreparedHandle;
  readonly #env: Variables;
  readonly #programs: ProgramFile[];
  readonly #listeners: OutputListener[] = [];
  #noise = '';
  #is_claimed = false;
  #has_ended = false;

  constructor({ clock, handle, folder, socket, env, program }: PreparedProcessOptions) {
    this.folder = folder;
    this.socket = socket;
    this.#clock = clock;
    this.#handle = handle;
    this.#env = env;
    this.#programs = [program];
    ({ pid: this.pid, log: this.log, error_log: this.error_log } = handle);
    this.ended = handle.ended.finally(() => {
      this.#has_ended = true;
    });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.ready = promise;
    const cancel = clock.after(PREPARE_TIMEOUT_MS, () => this.kill('SIGKILL'));
    void this.ready.then(cancel);
    void this.ended.then(() => resolve(false));
    handle.onMessage((bytes) => {
      for (const word of bytes.toString('latin1'))
        if (word === CLAIMED) this.#is_claimed = true;
        else if (word === READY) void this.#recordProgram().then(resolve, () => resolve(false));
    });
    handle.onOutput((stream, data) => this.#output(stream, data));
  }

  /** True once the hand-over is confirmed; from then on the script may have run. */
  get is_claimed(): boolean {
    return this.#is_claimed;
  }

  /** What the process printed before the hand-over. */
  get noise(): string {
    return this.#noise;
  }

  /**
   * False when the pass should start a new process instead: this one has ended, has printed something, or its program
   * or socket is gone.
   */
  get is_usable(): boolean {
    const { socket } = this.folder;
    return !this.#has_ended && this.#noise === '' && this.#programs.every(isUnchanged) && existsSync(socket);
  }

  /** Hands the pass over to the process. Returns false, without any effect, when the message would be too long. */
  assign(cwd: string, env: Variables): boolean {
    const body = encodeAssignment(cwd, this.#env, env);
    if (body.length + 4 > MAX_SOCKET_BYTES) return false;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    this.#handle.writeSocket(Buffer.concat([head, body]));
    const cancel = this.#clock.after(ASSIGN_TIMEOUT_MS, () => {
      if (!this.#is_claimed) this.kill('SIGKILL');
    });
    void this.ended.then(cancel);
    return true;
  }

  /** Kills the process and resolves once nothing is left of it. */
  async discard(): Promise<void> {
    this.kill('SIGKILL');
    await this.ended;
    await this.socket.close();
    await this.folder.remove();
  }

  onOutput(listen: OutputListener): void {
    this.#listeners.push(listen);
  }

  kill(signal: NodeJS.Signals): void {
    this.#handle.kill(signal);
  }

  flush(): Promise<void> {
    return this.#handle.flush();
  }

  pause(): void {
    this.#handle.pause();
  }

  resume(): void {
    this.#handle.resume();
  }

  /**
   * Records the program, because the wrapper of an interpreter may have started one that the agent has not seen
   * before.
   */
  async #recordProgram(): Promise<boolean> {
    const program = readProcessProgram(await this.pid);
    if (program) this.#programs.push(program);
    return program !== undefined && this.is_usable;
  }

  #output(stream: 'stdout' | 'stderr', data: Buffer): void {
    if (this.#is_claimed) for (const listen of this.#listeners) listen(stream, data);
    else this.#noise = (this.#noise + data.toString()).slice(0, MAX_NOISE_LENGTH);
  }
}

/** Encodes the message that `prepared/` reads: texts separated by NUL. */
function encodeAssignment(cwd: string, start_env: Variables, pass_env: Variables): Buffer {
  const lines = (env: Variables) => Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return Buffer.from([cwd, String(Object.keys(start_env).length), ...lines(start_env), ...lines(pass_env)].join('\0'));
}
