import {
  type Cancel,
  type Clock,
  Errors,
  type Ids,
  isServiceError,
  type Log,
  type ServiceError,
} from '../../../../kernel/contracts/index.ts';
import { type RawData, WebSocket } from 'ws';
import { JournalAssembly, toText } from '../channel/frames.ts';
import { WriteBatcher } from '../channel/write-batcher.ts';
import {
  type AgentLink,
  type AgentWelcome,
  type ChannelFrame,
  type ChannelOp,
  type ChannelPush,
  type ChannelRequests,
  MAX_FRAME_BYTES,
} from '../contract.ts';
import { AgentErrors, fromChannelError } from '../errors.ts';
import { Backoff, pause } from './backoff.ts';
import { describeRejection, isPermanentRejection } from './rejection.ts';
import { parseExact } from '../../../platform/schema/contract.ts';

export interface SocketLinkDeps {
  /** The channel's address: `ws:`, `wss:` or `ws+unix:`. */
  url: string;
  token: string;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Called when the server refuses this agent permanently after `open` has resolved. */
  onRefused(error: ServiceError): void;
}

interface Pending {
  op: ChannelOp;
  text: string;
  resolve: (reply: never) => void;
  reject: (error: ServiceError) => void;
}

/** These requests belong to one connection and are not repeated on another. */
const BOUND_TO_CONNECTION: ReadonlySet<ChannelOp> = new Set(['hello', 'ready', 'renew', 'under_way']);
/** How long `open` waits for a response: long enough to report a wrong token, short enough not to delay the start. */
const FIRST_RESPONSE_MS = 2000;
const HANDSHAKE_MS = 10_000;
const RECEIVE_BYTES = 64 * 1024 * 1024;
/** Used until the welcome names the lease. */
const SILENCE_MS = 5000;
const STRIKES = 3;

/** Requests made in one turn of the event loop are sent together at its end. */
const createWriteBatcher = () => new WriteBatcher((flush) => void setImmediate(flush));

/**
 * The channel over a WebSocket. It reconnects whenever the connection breaks, until the agent closes it or the server
 * refuses it.
 */
export class SocketLink implements AgentLink {
  readonly #deps: SocketLinkDeps;
  readonly #backoff: Backoff;
  readonly #listeners: ((push: ChannelPush) => void)[] = [];
  readonly #pending = new Map<number, Pending>();
  #greet: () => Promise<void> = async () => {};
  #next_id = 1;
  #socket: WebSocket | undefined;
  #writes = createWriteBatcher();
  /** True after the welcome; requests are sent from then on. */
  #up = false;
  #was_up = false;
  #is_opened = false;
  #closed: ServiceError | undefined;
  #warned = false;
  /** The agent itself broke the connection, so nobody needs to hear of it. */
  #is_reconnecting = false;
  #cancelTimer: Cancel = () => {};
  #silence_ms = SILENCE_MS;
  #strikes = 0;

  constructor(deps: SocketLinkDeps) {
    this.#deps = deps;
    this.#backoff = new Backoff({ min_ms: 100, max_ms: 5000 }, deps.ids);
  }

  get connected(): boolean {
    return this.#up;
  }

  onPush(listen: (push: ChannelPush) => void): void {
    this.#listeners.push(listen);
  }

  onConnect(greet: () => Promise<void>): void {
    this.#greet = greet;
  }

  /**
   * Resolves when connected, or after a moment without a response, and keeps trying then. Rejects when refused
   * permanently. A later refusal is reported to `refused`.
   */
  async open(): Promise<void> {
    const timeout = new AbortController();
    await Promise.race([this.#connect(), pause(this.#deps.clock, FIRST_RESPONSE_MS, timeout.signal)]);
    timeout.abort();
    if (this.#closed) throw this.#closed;
    this.#is_opened = true;
  }

  async reconnect(): Promise<void> {
    this.#is_reconnecting = true;
    this.#socket?.close(1000, 'the capabilities of the agent have changed');
  }

  async close(): Promise<void> {
    this.#rejectAll(AgentErrors.channelClosed('the agent stops'));
    const socket = this.#socket;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const cancel = this.#deps.clock.after(1000, () => socket.terminate());
    socket.close(1000, 'the agent stops');
    await closed;
    cancel();
  }

  request<Op extends ChannelOp>(op: Op, body: ChannelRequests[Op]['body']): Promise<ChannelRequests[Op]['reply']> {
    if (this.#closed) return Promise.reject(this.#closed);
    const open = this.#socket?.readyState === WebSocket.OPEN;
    if (BOUND_TO_CONNECTION.has(op) && !open)
      return Promise.reject(AgentErrors.channelLost('there is no connection to the server now'));
    const id = this.#next_id;
    this.#next_id += 1;
    const text = JSON.stringify({ id, op, body } satisfies ChannelFrame);
    // A character may take three bytes; they are counted only near the limit.
    if (text.length * 3 > MAX_FRAME_BYTES && Buffer.byteLength(text) > MAX_FRAME_BYTES)
      return Promise.reject(
        Errors.payloadTooLarge(`${op} is ${Buffer.byteLength(text)} bytes long; the limit is ${MAX_FRAME_BYTES}`),
      );
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { op, text, resolve: resolve as (reply: never) => void, reject });
      if (open && (this.#up || BOUND_TO_CONNECTION.has(op))) this.#send(this.#socket!, text);
    });
  }

  /** Attempts to connect. Resolves when the connection is open or has failed. */
  #connect(): Promise<void> {
    const socket = new WebSocket(this.#deps.url, {
      headers: { authorization: `Bearer ${this.#deps.token}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: RECEIVE_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const writes = (this.#writes = createWriteBatcher());
    const assembly = new JournalAssembly();
    return new Promise((resolve) => {
      let error_message = '';
      socket.on('upgrade', (response) => writes.bindSocket(response.socket));
      socket.on('open', () => this.#onOpen(socket).then(resolve));
      socket.on('message', (data) => this.#receive(socket, data, assembly));
      socket.on('ping', () => this.#recordActivity());
      socket.on('pong', () => this.#recordActivity());
      socket.on('error', (error) => {
        error_message = error.message;
      });
      socket.on('unexpected-response', (request, response) => {
        void describeRejection(response).then((rejection) => {
          error_message = rejection.message;
          if (isPermanentRejection(rejection.status, this.#was_up))
            this.#reject(AgentErrors.refused(rejection.message));
          request.destroy(new Error(error_message));
        });
      });
      socket.on('close', (code, reason) => {
        this.#onBroken(error_message || String(reason) || `connection closed with ${code}`);
        resolve();
      });
    });
  }

  #send(socket: WebSocket, text: string): void {
    this.#writes.beforeWrite();
    socket.send(text);
  }

  async #onOpen(socket: WebSocket): Promise<void> {
    this.#recordActivity();
    this.#scheduleCheck(socket);
    try {
      await this.#greet();
    } catch (error) {
      if (isServiceError(error) && error.status < 500 && error.status !== 429) this.#reject(error);
      else
        this.#deps.log.warn({ reason: (error as Error).message }, 'the server could not register the agent; retrying');
      socket.terminate();
      return;
    }
    if (socket !== this.#socket || socket.readyState !== WebSocket.OPEN) return;
    this.#up = true;
    this.#was_up = true;
    this.#backoff.reset();
    if (this.#warned) this.#deps.log.warn({}, 'connected to the server again');
    this.#warned = false;
    for (const { op, text } of this.#pending.values()) if (!BOUND_TO_CONNECTION.has(op)) this.#send(socket, text);
  }

  #receive(socket: WebSocket, data: RawData, assembly: JournalAssembly): void {
    this.#recordActivity();
    let frame: ChannelFrame;
    let push: ChannelPush | undefined;
    try {
      frame = parseExact(toText(data)) as ChannelFrame;
      push = 'push' in frame ? assembly.acceptFrame(frame) : undefined;
    } catch {
      this.#deps.log.error({}, 'the server sent an invalid frame; reconnecting');
      return socket.terminate();
    }
    if (push) for (const listen of this.#listeners) listen(push);
    if ('ok' in frame || 'error' in frame) this.#resolvePending(frame);
  }

  #resolvePending(frame: Extract<ChannelFrame, { ok: unknown } | { error: unknown }>): void {
    const pending = this.#pending.get(frame.id);
    if (!pending) return;
    this.#pending.delete(frame.id);
    if ('error' in frame) return pending.reject(fromChannelError(frame.error));
    if (pending.op === 'hello') this.#silence_ms = Math.min(SILENCE_MS, (frame.ok as AgentWelcome).lease_ms / 3);
    pending.resolve(frame.ok as never);
  }

  #recordActivity(): void {
    this.#strikes = 0;
  }

  /**
   * A half-open connection must be detected while there is time to reconnect and renew within the lease. It counts
   * checks instead of time: after this process was suspended, received data is read first.
   */
  #scheduleCheck(socket: WebSocket): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#deps.clock.after(this.#silence_ms / STRIKES, () => {
      if (socket.readyState !== WebSocket.OPEN) return;
      this.#strikes += 1;
      if (this.#strikes > STRIKES) return socket.terminate();
      socket.ping();
      this.#scheduleCheck(socket);
    });
  }

  #onBroken(why: string): void {
    this.#up = false;
    this.#cancelTimer();
    for (const [id, { op, reject }] of this.#pending) {
      if (!BOUND_TO_CONNECTION.has(op)) continue;
      this.#pending.delete(id);
      reject(AgentErrors.channelLost(`the connection broke before ${op} was answered`));
    }
    if (this.#closed) return;
    if (this.#is_reconnecting) {
      this.#is_reconnecting = false;
      void this.#connect();
      return;
    }
    if (!this.#warned) this.#deps.log.warn({ reason: why }, 'no connection to the server; retrying');
    this.#warned = true;
    this.#cancelTimer = this.#deps.clock.after(this.#backoff.next(), () => void this.#connect());
  }

  #reject(error: ServiceError): void {
    this.#rejectAll(error);
    if (this.#is_opened) this.#deps.onRefused(error);
  }

  #rejectAll(error: ServiceError): void {
    this.#closed ??= error;
    this.#cancelTimer();
    this.#up = false;
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
  }
}
