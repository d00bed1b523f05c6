import type { Duplex } from 'node:stream';
import { type Clock, Errors, type Log, ServiceError } from '../../../kernel/contracts/index.ts';
import { type RawData, WebSocket } from 'ws';
import type { AgentIdentity, AgentSession, AgentSessions, ChannelFrame, ChannelPush } from '../contract.ts';
import { AgentErrors, toChannelError } from '../errors.ts';
import { OneWrite } from './one-write.ts';
import { PushQueue } from './push-queue.ts';
import { textOf } from './frames.ts';

/** Requests of one agent that are processed at once. Beyond that its socket is not read. */
const IN_FLIGHT_MAX = 256;
/** Unsent bytes at which an agent gets no more work, and at which its connection is closed. */
const CONGESTED_BYTES = 8 * 1024 * 1024;
const HOPELESS_BYTES = 512 * 1024 * 1024;

/** Checks without a sign of life after which a peer counts as dead. */
export const STRIKES = 4;
export const CLOSE_RESTART = 1012;
export const CLOSE_REFUSED = 1008;
const CLOSE_PROTOCOL = 1002;
const CLOSE_BINARY = 1003;

export interface ConnectionParts {
  sessions: AgentSessions;
  identity: AgentIdentity;
  clock: Clock;
  log: Log;
  /** Time for an agent's hello. */
  greeting_ms: number;
  closed(connection: Connection): void;
}

/** One agent's WebSocket on the server: frames, liveness checks and limits. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #session: AgentSession;
  readonly #pushes: PushQueue;
  /** Answers of one commit are sent before the next tick. */
  readonly #writes = new OneWrite((flush) => process.nextTick(flush));
  readonly #working = new Set<Promise<void>>();
  readonly #connected_at: number;
  readonly #done = Promise.withResolvers<void>();
  #strikes = 0;
  #greeted = false;

  constructor(socket: WebSocket, below: Duplex, parts: ConnectionParts) {
    this.#socket = socket;
    this.#writes.over(below);
    this.#parts = parts;
    this.#connected_at = parts.clock.monotonic();
    this.#pushes = new PushQueue((frame) => this.#send(frame));
    this.#session = parts.sessions.connect(parts.identity, (push) => this.#push(push), {
      congested: () => socket.bufferedAmount + this.#pushes.waiting > CONGESTED_BYTES,
      end: (reason) => this.close(CLOSE_REFUSED, reason),
    });
    socket.on('message', (data, binary) => this.#receive(data, binary));
    socket.on('ping', () => this.#heard());
    socket.on('pong', () => this.#heard());
    socket.on('error', (error) => parts.log.info({ reason: error.message }, 'the connection of an agent failed'));
    socket.on('close', () => this.#end().then(this.#done.resolve, this.#done.reject));
  }

  /**
   * One liveness check; there are `STRIKES` checks within the span after which a peer counts as dead. It asks for a
   * sign of life and closes a silent, unauthenticated or much too slow connection. It counts checks and not time, so
   * that a server that was suspended reads first.
   */
  check(): void {
    const socket = this.#socket;
    // A paused socket cannot be checked for life.
    this.#strikes = socket.isPaused ? 0 : this.#strikes + 1;
    const age_ms = this.#parts.clock.monotonic() - this.#connected_at;
    const nameless = !this.#greeted && age_ms > this.#parts.greeting_ms;
    const hopeless = socket.bufferedAmount > HOPELESS_BYTES;
    if (this.#strikes > STRIKES || nameless || hopeless) socket.terminate();
    else if (socket.readyState === WebSocket.OPEN) socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Resolves when the socket is closed and every request is answered. */
  done(): Promise<void> {
    return this.#done.promise;
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #heard(): void {
    this.#strikes = 0;
  }

  async #end(): Promise<void> {
    this.#pushes.close();
    await this.#session.close();
    await Promise.all([...this.#working, this.#pushes.done()]);
    this.#parts.closed(this);
  }

  #receive(data: RawData, binary: boolean): void {
    this.#heard();
    if (binary) return this.close(CLOSE_BINARY, 'frames must be JSON text');
    const frame = parse(data);
    if (!frame) return this.close(CLOSE_PROTOCOL, 'a frame must be an object {id, op, body}');
    const work = this.#answer(frame).finally(() => {
      this.#working.delete(work);
      if (this.#working.size < IN_FLIGHT_MAX / 2 && this.#socket.isPaused) this.#socket.resume();
    });
    this.#working.add(work);
    if (this.#working.size >= IN_FLIGHT_MAX) this.#socket.pause();
  }

  async #answer({ id, op, body }: { id: number; op: string; body: unknown }): Promise<void> {
    try {
      const ok = await this.#session.handle(op, body);
      if (op === 'hello') this.#greeted = true;
      this.#send({ id, ok });
    } catch (error) {
      const told = error instanceof ServiceError ? error : Errors.internal('the server failed');
      this.#send({ id, error: toChannelError(told) });
    }
  }

  #push(push: ChannelPush): void {
    if (this.#socket.readyState !== WebSocket.OPEN) throw AgentErrors.channelClosed('the connection is closed');
    this.#pushes.add(push);
  }

  /** A frame that cannot be sent is dropped: the agent asks again after it reconnects. */
  #send(frame: ChannelFrame): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#writes.hold();
    this.#socket.send(JSON.stringify(frame));
  }
}

function parse(data: RawData): { id: number; op: string; body: unknown } | undefined {
  try {
    const frame: unknown = JSON.parse(textOf(data));
    if (typeof frame !== 'object' || frame === null) return undefined;
    const { id, op, body } = frame as { id?: unknown; op?: unknown; body?: unknown };
    return Number.isSafeInteger(id) && typeof op === 'string' ? { id: id as number, op, body } : undefined;
  } catch {
    return undefined;
  }
}
