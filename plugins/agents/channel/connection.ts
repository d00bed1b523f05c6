import type { Duplex } from 'node:stream';
import { type Clock, Errors, type Log, ServiceError, yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import { type RawData, WebSocket } from 'ws';
import {
  type AgentIdentity,
  type AgentSession,
  type AgentSessions,
  type ChannelFrame,
  type ChannelPush,
  MAX_FRAME_BYTES,
} from '../contract.ts';
import { AgentErrors, toChannelError } from '../errors.ts';
import { OneWrite } from './one-write.ts';
import { PushQueue } from './push-queue.ts';
import { bytesOf, type RequestFrame, requestIn } from './frames.ts';

/** Requests of one agent that are processed at once. Beyond that its socket is not read. */
const IN_FLIGHT_MAX = 256;
/** Bytes of the requests that are processed at once: two of the largest. Beyond that its socket is not read either. */
const IN_FLIGHT_BYTES = 2 * MAX_FRAME_BYTES;
/** After a frame of this size the event loop turns before the next one is read: parsing may have taken long. */
const LARGE_BYTES = 64 * 1024;
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
  #bytes = 0;
  /** As much is in flight as may be, and not yet half of it answered. */
  #full = false;
  /** A large frame was parsed in this turn of the event loop. */
  #turning = false;
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
    const bytes = bytesOf(data);
    const frame = requestIn(bytes);
    if (!frame) return this.close(CLOSE_PROTOCOL, 'a frame must be an object {id, op, body}');
    if (bytes.length > LARGE_BYTES) this.#turn();
    if ('refused' in frame) return this.#refuse(frame);
    this.#work(frame, bytes.length);
  }

  #work(frame: RequestFrame, bytes: number): void {
    const work = this.#answer(frame).finally(() => {
      this.#working.delete(work);
      this.#bytes -= bytes;
      this.#balance();
    });
    this.#working.add(work);
    this.#bytes += bytes;
    this.#balance();
  }

  /** Stops reading at what may be in flight, and reads on when half of it is answered. */
  #balance(): void {
    const { size } = this.#working;
    if (size >= IN_FLIGHT_MAX || this.#bytes >= IN_FLIGHT_BYTES) this.#full = true;
    else if (size < IN_FLIGHT_MAX / 2 && this.#bytes < IN_FLIGHT_BYTES / 2) this.#full = false;
    const held = this.#full || this.#turning;
    if (held === this.#socket.isPaused) return;
    if (held) this.#socket.pause();
    else this.#socket.resume();
  }

  #turn(): void {
    this.#turning = true;
    this.#balance();
    void yieldToEventLoop().then(() => {
      this.#turning = false;
      this.#balance();
    });
  }

  #refuse({ id, refused }: { id: number | undefined; refused: ServiceError }): void {
    if (id === undefined) return this.close(CLOSE_REFUSED, refused.message);
    this.#send({ id, error: toChannelError(refused) });
  }

  async #answer({ id, op, body }: RequestFrame): Promise<void> {
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
