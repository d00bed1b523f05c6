import { constants } from 'node:os';
import { FRAME_LIMIT, Request, signalPayload, type UserIds } from './frames.ts';

export interface SpawnRequest {
  /** Program (looked up in PATH of `env`) and its arguments. */
  argv: readonly string[];
  /** The whole environment. */
  env: Record<string, string>;
  cwd: string;
  /** Whose process it is, without further groups; absent: the agent's user. Only an agent that is root can name another. */
  user?: UserIds | undefined;
}

export interface ProcessEnd {
  /** Null after a signal, and when it did not start. */
  exit_code: number | null;
  signal: string | null;
  /** Why it did not start, or that the spawner is gone. */
  error?: string;
  /** `ENOENT`, `EACCES`… when it did not start. */
  error_code?: string;
  /** What started or kept it was killed, and it with that: how it would have ended nobody knows. `error` says what was. */
  lost?: true;
}

export type OutputListener = (stream: 'stdout' | 'stderr', data: Buffer) => void;

/** A process with /dev/null as stdin, in its own session. */
export interface SpawnedProcess {
  /** Rejects when it did not start. */
  readonly pid: Promise<number>;
  /** "<dev>:<ino>" of its stdout. Rejects when it did not start. */
  readonly log: Promise<string>;
  /** The same of its stderr. */
  readonly error_log: Promise<string>;
  /** All its output, in order within a stream. Held back until there is a listener. */
  onOutput(listen: OutputListener): void;
  /**
   * Resolves after its last output was delivered and when it and everything that it left behind are gone. Never
   * rejects. It does not resolve while output waits for a listener or is paused.
   */
  readonly ended: Promise<ProcessEnd>;
  /** Signals its process group. No effect after its end. */
  kill(signal: NodeJS.Signals): void;
  /**
   * Resolves when everything that it has written by now was delivered, however late its pipes are read. Output that is
   * paused delays this. Never rejects.
   */
  drained(): Promise<void>;
  /** Stops delivering output; the process blocks when its pipe is full. */
  pause(): void;
  resume(): void;
}

/** One that has a socket to the agent as its descriptor 100 (GIVEN_DESCRIPTOR in spawner.h). */
export interface PreparedHandle extends SpawnedProcess {
  /** Writes to the socket, at most `MAX_GIVEN_BYTES` in all. No effect after its end. */
  give(bytes: Buffer): void;
  /** What it writes to the socket: before the output that it prints afterwards, and before `ended` resolves. */
  onSaid(listen: (bytes: Buffer) => void): void;
}

/** A socket takes as much at once, whatever the system. */
export const MAX_GIVEN_BYTES = 64 * 1024;

/** Why a request cannot start a process: what the operating system would cut off or refuse. */
export function requestFault(request: SpawnRequest): string | undefined {
  const texts = [request.cwd, ...request.argv, ...Object.entries(request.env).flat()];
  if (request.argv.length === 0 || request.argv[0] === '') return 'there is no program to start';
  if (texts.some((text) => text.includes('\0'))) return 'an argument or variable holds a NUL byte';
  if (Object.keys(request.env).some((name) => name === '' || name.includes('='))) return 'a variable has no valid name';
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 2, 16) > FRAME_LIMIT)
    return 'the arguments are too long';
  return undefined;
}

/** Output that was not delivered yet, or whom to tell when all before it was. */
type Held = { stream: 'stdout' | 'stderr'; data: Buffer } | { delivered: () => void };

type Order = (type: number, payload?: Buffer) => void;

/** One process as the agent sees it. Commands and reports may cross in any order. */
export class ProcessHandle implements PreparedHandle {
  readonly request: SpawnRequest;
  readonly prepared: boolean;
  readonly pid: Promise<number>;
  readonly log: Promise<string>;
  readonly error_log: Promise<string>;
  readonly ended: Promise<ProcessEnd>;
  private readonly start = Promise.withResolvers<{ pid: number; log: string; error_log: string }>();
  private readonly finish = Promise.withResolvers<ProcessEnd>();
  private listeners: OutputListener[] = [];
  private hear: ((bytes: Buffer) => void) | undefined;
  private held: Held[] = [];
  private syncs: (() => void)[] = [];
  private waiting: { type: number; payload?: Buffer }[] = [];
  private order: Order | undefined;
  private paused = false;
  private quiet = false;
  private end: ProcessEnd | undefined;

  constructor(request: SpawnRequest, prepared = false) {
    this.request = request;
    this.prepared = prepared;
    this.pid = this.start.promise.then((started) => started.pid);
    this.log = this.start.promise.then((started) => started.log);
    this.error_log = this.start.promise.then((started) => started.error_log);
    this.ended = this.finish.promise;
    // Whoever awaits them gets the rejection; others learn it from `ended`.
    for (const unread of [this.pid, this.log, this.error_log]) unread.catch(() => undefined);
  }

  onOutput(listen: OutputListener): void {
    this.listeners.push(listen);
    this.flow();
  }

  kill(signal: NodeJS.Signals): void {
    this.send(Request.kill, signalPayload(constants.signals[signal]));
  }

  give(bytes: Buffer): void {
    this.send(Request.give, bytes);
  }

  onSaid(listen: (bytes: Buffer) => void): void {
    this.hear = listen;
  }

  said(bytes: Buffer): void {
    this.hear?.(bytes);
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.end) this.held.push({ delivered: resolve });
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
  attach(order: Order): void {
    this.order = order;
    for (const { type, payload } of this.waiting.splice(0)) order(type, payload);
  }

  started(pid: number, log: string, error_log: string): void {
    this.start.resolve({ pid, log, error_log });
  }

  output(stream: 'stdout' | 'stderr', data: Buffer): void {
    this.held.push({ stream, data });
    this.flow();
  }

  /** The oldest request of `drained` is answered: all output that it asked for was received. */
  synced(): void {
    const delivered = this.syncs.shift();
    if (!delivered) return;
    this.held.push({ delivered });
    this.flow();
  }

  exited(end: ProcessEnd): void {
    this.end ??= end;
    this.waiting = [];
    this.order = undefined;
    for (const delivered of this.syncs.splice(0)) this.held.push({ delivered });
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
    while (this.open() && this.held.length > 0) {
      const next = this.held.shift()!;
      if ('delivered' in next) next.delivered();
      else for (const listen of this.listeners) listen(next.stream, next.data);
    }
    const quiet = this.paused || (this.listeners.length === 0 && this.held.length > 0);
    if (quiet !== this.quiet && !this.end) this.send(quiet ? Request.pause : Request.resume);
    this.quiet = quiet;
    if (this.end && this.held.length === 0) this.finish.resolve(this.end);
  }

  private open(): boolean {
    return this.listeners.length > 0 && !this.paused;
  }

  private send(type: number, payload?: Buffer): void {
    if (this.end) return;
    if (this.order) this.order(type, payload);
    else this.waiting.push(payload ? { type, payload } : { type });
  }
}
