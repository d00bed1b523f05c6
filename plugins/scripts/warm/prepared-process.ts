import { existsSync } from 'node:fs';
import type { Clock } from '../../../kernel/contracts/index.ts';
import type { PassFolder } from '../executor/pass-folder.ts';
import { MAX_GIVEN_BYTES, type OutputListener, type PreparedHandle, type ProcessEnd } from '../native/spawner.ts';
import type { SpawnedProcess } from '../native/spawner.ts';
import type { PassSocket } from '../socket/server.ts';
import { isUnchanged, type ProgramFile, programOf } from './program-file.ts';

/** From the start until it waits. */
const PREPARE_MS = 10_000;
/** From the hand-over until the process says that it has it; longer only where something is wrong. */
const HAND_OVER_MS = 5000;
const MAX_NOISE_LENGTH = 1000;
const READY = 'r';
const TAKEN = 't';

export type Variables = Readonly<Record<string, string>>;

interface Parts {
  clock: Clock;
  handle: PreparedHandle;
  /** Where the script will lie. */
  folder: PassFolder;
  /** In that folder. */
  socket: PassSocket;
  /** The environment that it was started with. */
  env: Variables;
  program: ProgramFile;
}

/**
 * An interpreter that waits for its pass. Until it has said that it took the pass, nothing of the script has run, and
 * nothing of its output is the script's.
 */
export class PreparedProcess implements SpawnedProcess {
  readonly folder: PassFolder;
  readonly socket: PassSocket;
  /** True when it waits and has shown no fault, false when it has ended before. */
  readonly ready: Promise<boolean>;
  readonly pid: Promise<number>;
  readonly log: Promise<string>;
  readonly error_log: Promise<string>;
  readonly ended: Promise<ProcessEnd>;
  readonly #clock: Clock;
  readonly #handle: PreparedHandle;
  readonly #env: Variables;
  readonly #programs: ProgramFile[];
  readonly #listeners: OutputListener[] = [];
  #noise = '';
  #taken = false;
  #over = false;

  constructor({ clock, handle, folder, socket, env, program }: Parts) {
    this.folder = folder;
    this.socket = socket;
    this.#clock = clock;
    this.#handle = handle;
    this.#env = env;
    this.#programs = [program];
    ({ pid: this.pid, log: this.log, error_log: this.error_log } = handle);
    this.ended = handle.ended.finally(() => {
      this.#over = true;
    });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.ready = promise;
    const cancel = clock.after(PREPARE_MS, () => this.kill('SIGKILL'));
    void this.ready.then(cancel);
    void this.ended.then(() => resolve(false));
    handle.onSaid((bytes) => {
      for (const word of bytes.toString('latin1'))
        if (word === TAKEN) this.#taken = true;
        else if (word === READY) void this.#note().then(resolve, () => resolve(false));
    });
    handle.onOutput((stream, data) => this.#output(stream, data));
  }

  /** True once it is the pass: from then on the script may have run. */
  get taken(): boolean {
    return this.#taken;
  }

  /** What it printed before it was the pass. */
  get noise(): string {
    return this.#noise;
  }

  /** False when the pass is better started anew: it has ended, printed something, or its program or its socket is gone. */
  get usable(): boolean {
    const { socket } = this.folder;
    return !this.#over && this.#noise === '' && this.#programs.every(isUnchanged) && existsSync(socket);
  }

  /** Makes it the pass. False when that cannot be told in one piece; it is then as before. */
  handOver(cwd: string, env: Variables): boolean {
    const body = textsOf(cwd, this.#env, env);
    if (body.length + 4 > MAX_GIVEN_BYTES) return false;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(body.length);
    this.#handle.give(Buffer.concat([head, body]));
    const cancel = this.#clock.after(HAND_OVER_MS, () => {
      if (!this.#taken) this.kill('SIGKILL');
    });
    void this.ended.then(cancel);
    return true;
  }

  /** Resolves when nothing is left of it. */
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

  drained(): Promise<void> {
    return this.#handle.drained();
  }

  pause(): void {
    this.#handle.pause();
  }

  resume(): void {
    this.#handle.resume();
  }

  /** The wrapper of an interpreter may have started a program that the agent has not seen before. */
  async #note(): Promise<boolean> {
    const program = programOf(await this.pid);
    if (program) this.#programs.push(program);
    return program !== undefined && this.usable;
  }

  #output(stream: 'stdout' | 'stderr', data: Buffer): void {
    if (this.#taken) for (const listen of this.#listeners) listen(stream, data);
    else this.#noise = (this.#noise + data.toString()).slice(0, MAX_NOISE_LENGTH);
  }
}

/** As `prepared/` reads it: texts with a NUL between them. */
function textsOf(cwd: string, given: Variables, wanted: Variables): Buffer {
  const lines = (env: Variables) => Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return Buffer.from([cwd, String(Object.keys(given).length), ...lines(given), ...lines(wanted)].join('\0'));
}
