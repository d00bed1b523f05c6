import { constants } from 'node:os';
import { FRAME_LIMIT, Request, signalPayload, type UserIds } from './frames.ts';

export interface SpawnRequest {
  /** The program (looked up in PATH of `env`) and its arguments. */
  argv: readonly string[];
  /** The complete environment. */
  env: Record<string, string>;
  cwd: string;
  /**
   * The user whose process it becomes, without further groups; the agent's user by default. Only an agent that is
   * root can name another.
   */
  user?: UserIds | undefined;
}

export interface ProcessExit {
  /** Null after a signal, and if it did not start. */
  exit_code: number | null;
  signal: string | null;
  /** Why it did not start, or that the spawner was lost. */
  error?: string;
  /** Such as `ENOENT` or `EACCES`, if it did not start. */
  error_code?: string;
  /**
   * Set if it was killed together with the process that started it, so nobody knows how it would have ended; `error`
   * tells which.
   */
  lost?: true;
}

export type OutputListener = (stream: 'stdout' | 'stderr', data: Buffer) => void;

/** A process with /dev/null as stdin, in its own session. */
export interface SpawnedProcess {
  /** Rejects if it did not start. */
  readonly pid: Promise<number>;
  /** `<dev>:<ino>` of its stdout. Rejects if it did not start. */
  readonly log: Promise<string>;
  /** The same for its stderr. */
  readonly error_log: Promise<string>;
  /** All its output, in order within a stream. Held back until there is a listener. */
  onOutput(listen: OutputListener): void;
  /**
   * Resolves after its last output was delivered and after it and everything that it left behind have ended. Never
   * rejects. It does not resolve while output waits for a listener or is paused.
   */
  readonly ended: Promise<ProcessExit>;
  /** Signals its process group. No effect after its end. */
  kill(signal: NodeJS.Signals): void;
  /**
   * Resolves when everything that it has written by now was delivered, however late its pipes are read. Paused output
   * delays this. Never rejects.
   */
  flush(): Promise<void>;
  /** Stops delivering output; the process blocks when its pipe is full. */
  pause(): void;
  resume(): void;
}

/** A process that has a socket to the agent as its descriptor 100 (GIVEN_DESCRIPTOR in spawner.h). */
export interface PreparedHandle extends SpawnedProcess {
  /** Writes to the socket, at most `MAX_SOCKET_BYTES` in total. No effect after its end. */
  writeSocket(bytes: Buffer): void;
  /** What it writes to the socket arrives before output that it prints later, and before `ended` resolves. */
  onMessage(listen: (bytes: Buffer) => void): void;
}

/** A socket accepts this much at once on every system. */
export const MAX_SOCKET_BYTES = 64 * 1024;

/** Returns why a request cannot start a process: what the operating system would truncate or reject. */
export function findRequestProblem(request: SpawnRequest): string | undefined {
  const texts = [request.cwd, ...request.argv, ...Object.entries(request.env).flat()];
  if (request.argv.length === 0 || request.argv[0] === '') return 'there is no program to start';
  if (texts.some((text) => text.includes('\0'))) return 'an argument or variable contains a NUL byte';
  if (Object.keys(request.env).some((name) => name === '' || name.includes('='))) return 'a variable has no valid name';
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 16) > FRAME_LIMIT)
    return 'the arguments are too long';
  return undefined;
}

/** Undelivered output, or a callback for when everything before it was delivered. */
type QueuedItem = { stream: 'stdout' | 'stderr'; data: Buffer } | { delivered: () => void };

type SendRequest = (type: number, payload?: Buffer) => void;

/** One process as the agent sees it. Commands and reports may cross in any order. */
export class ProcessHandle implements PreparedHandle {
  readonly request: SpawnRequest;
  readonly prepared: boolean;
  readonly pid: Promise<number>;
  readonly log: Promise<string>;
  readonly error_log: Promise<string>;
  readonly ended: Promise<ProcessExit>;
  private readonly start = Promise.withResolvers<{ pid: number; log: string; error_log: string }>();
  private readonly finish = Promise.withResolvers<ProcessExit>();
  private listeners: OutputListener[] = [];
  private message_listener: ((bytes: Buffer) => void) | undefined;
  private queue: QueuedItem[] = [];
  private syncs: (() => void)[] = [];
  private waiting: { type: number; payload?: Buffer }[] = [];
  private sendRequest: SendRequest | undefined;
  private paused = false;
  private is_quiet = false;
  private exit: ProcessExit | undefined;

  constructor(request: SpawnRequest, prepared = false) {
    this.request = request;
    this.prepared = prepared;
    this.pid = this.start.promise.then((started) => started.pid);
    this.log = this.start.promise.then((started) => started.log);
    this.error_log = this.start.promise.then((started) => started.error_log);
    this.ended = this.finish.promise;
    // Callers that await them get the rejection; others learn it from `ended`.
    for (const unread of [this.pid, this.log, this.error_log]) unread.catch(() => undefined);
  }

  onOutput(listen: OutputListener): void {
    this.listeners.push(listen);
    this.flow();
  }

  kill(signal: NodeJS.Signals): void {
    this.send(Request.kill, signalPayload(constants.signals[signal]));
  }

  writeSocket(bytes: Buffer): void {
    this.send(Request.give, bytes);
  }

  onMessage(listen: (bytes: Buffer) => void): void {
    this.message_listener = listen;
  }

  handleMessage(bytes: Buffer): void {
    this.message_listener?.(bytes);
  }

  flush(): Promise<void> {
    return new Promise((resolve) => {
      if (this.exit) this.queue.push({ delivered: resolve });
      else this.syncs.push(resolve);
      this.send(Request.sync);
      this.flow();
    });
  }

  pause(): void {
    this.paused = true;
    this.flow();
  }

  resume(): void {
    this.paused = false;
    this.flow();
  }

  /** Attaches the spawner that runs it. */
  attach(order: SendRequest): void {
    this.sendRequest = order;
    for (const { type, payload } of this.waiting.splice(0)) order(type, payload);
  }

  started(pid: number, log: string, error_log: string): void {
    this.start.resolve({ pid, log, error_log });
  }

  output(stream: 'stdout' | 'stderr', data: Buffer): void {
    this.queue.push({ stream, data });
    this.flow();
  }

  /** The oldest `drained` request is answered: all output that it asked for was received. */
  synced(): void {
    const delivered = this.syncs.shift();
    if (!delivered) return;
    this.queue.push({ delivered });
    this.flow();
  }

  exited(end: ProcessExit): void {
    this.exit ??= end;
    this.waiting = [];
    this.sendRequest = undefined;
    for (const delivered of this.syncs.splice(0)) this.queue.push({ delivered });
    this.start.reject(new Error(end.error ?? 'the process ended before it started'));
    this.flow();
  }

  lose(error: string): void {
    this.exited({ exit_code: null, signal: null, error, lost: true });
  }

  fail(error: string, error_code?: string): void {
    this.exited({ exit_code: null, signal: null, error, ...(error_code ? { error_code } : {}) });
  }

  /** Delivers what may be delivered, and keeps the spawner from sending more than that. */
  private flow(): void {
    while (this.isFlowing() && this.queue.length > 0) {
      const next = this.queue.shift()!;
      if ('delivered' in next) next.delivered();
      else for (const listen of this.listeners) listen(next.stream, next.data);
    }
    const quiet = this.paused || (this.listeners.length === 0 && this.queue.length > 0);
    if (quiet !== this.is_quiet && !this.exit) this.send(quiet ? Request.pause : Request.resume);
    this.is_quiet = quiet;
    if (this.exit && this.queue.length === 0) this.finish.resolve(this.exit);
  }

  private isFlowing(): boolean {
    return this.listeners.length > 0 && !this.paused;
  }

  private send(type: number, payload?: Buffer): void {
    if (this.exit) return;
    if (this.sendRequest) this.sendRequest(type, payload);
    else this.waiting.push(payload ? { type, payload } : { type });
  }
}
