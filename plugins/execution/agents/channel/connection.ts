import type { Duplex } from 'node:stream';
import { type Clock, Errors, type Log, ServiceError } from '../../../../kernel/contracts/index.ts';
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
import type { Holder } from './buffered-bytes.ts';
import { WriteBatcher } from './write-batcher.ts';
import { PushQueue } from './push-queue.ts';
import { joinFragments, parseLargeRequest, type ParsedRequest, parseRequest, type RequestFrame } from './frames.ts';

/** Maximum requests of one agent in progress. Above it, its socket is not read. */
const IN_FLIGHT_MAX = 256;
/** Maximum bytes of requests in progress, two of the largest. Above it, its socket is not read either. */
const IN_FLIGHT_BYTES = 2 * MAX_FRAME_BYTES;
/** A larger frame is parsed in several turns of the event loop, and the frames after it wait for it. */
const LARGE_BYTES = 64 * 1024;
/** An agent gets no more work above this many unsent bytes; above the second limit its connection is closed. */
const CONGESTED_BYTES = 8 * 1024 * 1024;
const MAX_UNSENT_BYTES = 512 * 1024 * 1024;
/** Header and mask of a ping or pong of an agent. */
const CONTROL_BYTES = 6;

/** Number of liveness checks without a reply after which a peer counts as dead. */
export const STRIKES = 4;
export const CLOSE_RESTART = 1012;
export const CLOSE_POLICY = 1008;
/** Another server may have room, or this one later. */
export const CLOSE_FULL = 1013;
const CLOSE_PROTOCOL = 1002;
const CLOSE_BINARY = 1003;

export interface ConnectionDeps {
  sessions: AgentSessions;
  identity: AgentIdentity;
  clock: Clock;
  log: Log;
  /** How long an agent may take to send its hello. */
  hello_timeout_ms: number;
  /** Called when the connection may hold more bytes than before. */
  onBuffered(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** One agent's WebSocket on the server: frames, liveness checks and limits. */
export class Connection implements Holder {
  readonly org_id: string;
  readonly #socket: WebSocket;
  readonly #raw_socket: Duplex & { bytesRead?: number };
  readonly #deps: ConnectionDeps;
  readonly #session: AgentSession;
  readonly #pushes: PushQueue;
  /** Responses that belong to one commit are sent together, before the next tick. */
  readonly #writes = new WriteBatcher((flush) => process.nextTick(flush));
  readonly #working = new Set<Promise<void>>();
  #bytes = 0;
  /** Bytes read from the socket that do not belong to the frame that arrives. */
  #consumed: number;
  #broken = false;
  /** Set when the limits are reached, until half of the requests are answered. */
  #full = false;
  /**
   * While a large frame is parsed: the frames that came after it. The socket is not read, so they are the rest of what was read
   * along with it.
   */
  #waiting: Buffer[] | undefined;
  readonly #connected_at: number;
  readonly #ended = Promise.withResolvers<void>();
  #strikes = 0;
  #greeted = false;

  constructor(socket: WebSocket, raw_socket: Duplex, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#raw_socket = raw_socket;
    this.org_id = deps.identity.org_id ?? '';
    this.#consumed = this.#bytesRead();
    this.#writes.bindSocket(raw_socket);
    this.#deps = deps;
    this.#connected_at = deps.clock.monotonic();
    this.#pushes = new PushQueue((frame) => this.#send(frame));
    this.#session = deps.sessions.connect(deps.identity, (push) => this.#push(push), {
      congested: () => socket.bufferedAmount + this.#pushes.pending_chars > CONGESTED_BYTES,
      terminate: (reason) => this.close(CLOSE_POLICY, reason),
    });
    socket.on('message', (data, binary) => this.#receive(data, binary));
    socket.on('ping', (data) => this.#receiveControl(data));
    socket.on('pong', (data) => this.#receiveControl(data));
    raw_socket.on('data', () => deps.onBuffered(this));
    raw_socket.on('drain', () => deps.onBuffered(this));
    socket.on('error', (error) => deps.log.info({ reason: error.message }, 'the connection of an agent failed'));
    socket.on('close', () => this.#onClose().then(this.#ended.resolve, this.#ended.reject));
  }

  /**
   * Performs a liveness check; `STRIKES` of them fit into the span after which a peer counts as dead. It pings the
   * agent, and closes a silent, unauthenticated or hopelessly slow connection. It counts checks instead of time, so
   * that a server that was suspended reads first.
   */
  check(): void {
    const socket = this.#socket;
    // A paused socket cannot show signs of life.
    this.#strikes = socket.isPaused ? 0 : this.#strikes + 1;
    const age_ms = this.#deps.clock.monotonic() - this.#connected_at;
    const unidentified = !this.#greeted && age_ms > this.#deps.hello_timeout_ms;
    const unresponsive = socket.bufferedAmount > MAX_UNSENT_BYTES;
    if (this.#strikes > STRIKES || unidentified || unresponsive) this.terminate();
    else if (socket.readyState === WebSocket.OPEN) socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Resolves when the socket is closed and every request is answered. */
  whenDone(): Promise<void> {
    return this.#ended.promise;
  }

  terminate(): void {
    this.#broken = true;
    this.#socket.terminate();
  }

  bufferedBytes(): number {
    if (this.#broken) return this.#bytes;
    return this.#bytesRead() - this.#consumed + this.#bytes + this.#socket.bufferedAmount;
  }

  #bytesRead(): number {
    return this.#raw_socket.bytesRead ?? 0;
  }

  #recordActivity(): void {
    this.#strikes = 0;
  }

  /** May arrive between the parts of a message, which is not complete with it. */
  #receiveControl(data: Buffer): void {
    this.#recordActivity();
    this.#consumed += CONTROL_BYTES + data.length;
  }

  async #onClose(): Promise<void> {
    this.#pushes.close();
    await this.#session.close();
    await Promise.all([...this.#working, this.#pushes.whenIdle()]);
    this.#deps.onClosed(this);
  }

  #receive(data: RawData, binary: boolean): void {
    this.#recordActivity();
    this.#consumed = this.#bytesRead();
    // A peer that ignores the close frame could go on for half a minute, for instance with a token that was revoked.
    if (!this.#isOpen()) return;
    if (binary) return this.close(CLOSE_BINARY, 'frames must be JSON text');
    const bytes = joinFragments(data);
    if (this.#waiting) this.#defer(this.#waiting, bytes);
    else if (bytes.length > LARGE_BYTES) this.#parseLarge(bytes);
    else this.#handle(parseRequest(bytes), bytes.length);
  }

  #handle(frame: ParsedRequest, bytes: number): void {
    if (!frame) this.close(CLOSE_PROTOCOL, 'a frame must be an object {id, op, body}');
    else if ('rejection' in frame) this.#reject(frame);
    else this.#work(frame, bytes);
  }

  #defer(waiting: Buffer[], bytes: Buffer): void {
    this.#bytes += bytes.length;
    waiting.push(bytes);
  }

  /** Parses a large frame, and then the frames that came meanwhile. */
  #parseLarge(bytes: Buffer): void {
    const waiting: Buffer[] = [];
    this.#waiting = waiting;
    this.#defer(waiting, bytes);
    const work = this.#parseWaiting(waiting).finally(() => {
      this.#working.delete(work);
      this.#balance();
    });
    this.#working.add(work);
    this.#balance();
  }

  async #parseWaiting(waiting: Buffer[]): Promise<void> {
    for (let bytes = waiting.shift(); bytes !== undefined; bytes = waiting.shift()) {
      const frame = bytes.length > LARGE_BYTES ? await parseLargeRequest(bytes) : parseRequest(bytes);
      this.#bytes -= bytes.length;
      if (this.#isOpen()) this.#handle(frame, bytes.length);
    }
    this.#waiting = undefined;
  }

  #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #work(frame: RequestFrame, bytes: number): void {
    const work = this.#respond(frame).finally(() => {
      this.#working.delete(work);
      this.#bytes -= bytes;
      this.#balance();
    });
    this.#working.add(work);
    this.#bytes += bytes;
    this.#balance();
  }

  /** Stops reading at the limits, and resumes when half of the requests are answered. */
  #balance(): void {
    const { size } = this.#working;
    if (size >= IN_FLIGHT_MAX || this.#bytes >= IN_FLIGHT_BYTES) this.#full = true;
    else if (size < IN_FLIGHT_MAX / 2 && this.#bytes < IN_FLIGHT_BYTES / 2) this.#full = false;
    const paused = this.#full || this.#waiting !== undefined;
    if (paused === this.#socket.isPaused) return;
    if (paused) this.#socket.pause();
    else this.#socket.resume();
  }

  #reject({ id, rejection }: { id: number | undefined; rejection: ServiceError }): void {
    if (id === undefined) return this.close(CLOSE_POLICY, rejection.message);
    this.#send({ id, error: toChannelError(rejection) });
  }

  async #respond({ id, op, body }: RequestFrame): Promise<void> {
    try {
      const ok = await this.#session.handle(op, body);
      if (op === 'hello') this.#greeted = true;
      this.#send({ id, ok });
    } catch (error) {
      const reported = error instanceof ServiceError ? error : Errors.internal('the server failed');
      this.#send({ id, error: toChannelError(reported) });
    }
  }

  #push(push: ChannelPush): void {
    if (!this.#isOpen()) throw AgentErrors.channelClosed('the connection is closed');
    this.#pushes.add(push);
  }

  /** A frame that cannot be sent is dropped, because the agent repeats its requests after it reconnects. */
  #send(frame: ChannelFrame): void {
    if (!this.#isOpen()) return;
    this.#writes.beforeWrite();
    this.#socket.send(JSON.stringify(frame));
    if (this.#raw_socket.writableNeedDrain) this.#deps.onBuffered(this);
  }
}
