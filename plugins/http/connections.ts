import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, Clock, Log, Metrics } from '../../kernel/contracts/index.ts';
import { callerOf } from './callers.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { OpenStreams } from './open-streams.ts';

/** The log says at most so often that connections were closed because there are too many. */
const LOG_INTERVAL_MS = 60_000;

/** Requests under way that are looked at for a caller who has most of them. */
const LOOKED = 400;

/** As metrics name it: `head`: it sent no whole head in time; `answer`: its caller did not read an answer. */
type Reason = 'full' | 'head' | 'idle' | 'answer';

export interface ConnectionsParts {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  limits: HttpLimits;
  /** Connections that may be open at once. */
  most: number;
  streams: Pick<OpenStreams, 'count' | 'unread'>;
  /** All requests under way, the oldest first. */
  exchanges: ReadonlySet<Exchange>;
}

/**
 * All connections of the server, those of its 32 listeners and upgraded ones together. Node's `maxConnections` counts each
 * listener alone, and turns away whoever comes last. Here a connection without a request makes room, the one longest without,
 * so that a crowd that opens connections and holds them does not keep others out.
 */
export class Connections {
  readonly #use: ConnectionsParts;
  readonly #closed: ReturnType<Metrics['counter']>;
  /** How many requests each has under way; an upgraded one keeps one for good. */
  readonly #open = new Map<Socket, number>();
  /** Those without a request under way, and since when: the longest first. */
  readonly #idle = new Map<Socket, number>();
  /**
   * Requests under way whose caller was not known yet when somebody last looked, the oldest first, and since when their answer
   * waits to be read.
   */
  readonly #unknown = new Map<Exchange, number | undefined>();
  #cancelSweep: Cancel = () => undefined;
  #crowded = 0;
  #logged_at = Number.NEGATIVE_INFINITY;

  constructor(server: Server, use: ConnectionsParts) {
    this.#use = use;
    const { metrics, limits, streams } = use;
    metrics.gauge('svc_http_connections', 'Open connections, WebSockets of agents among them.', () => this.#open.size);
    metrics.gauge(
      'svc_http_streams',
      'Answers under way that are streams: logs, downloads, live pages.',
      () => streams.count,
    );
    this.#closed = metrics.counter(
      'svc_http_connections_closed_total',
      'Connections that the server closed: too many (full), no whole head (head), no request (idle), an answer that nobody read (answer).',
      ['reason'],
    );
    // Bodies have their own limits, and a streamed one may be long; this limits what escapes them.
    server.requestTimeout = 24 * 3_600_000;
    server.headersTimeout = limits.head_ms;
    server.keepAliveTimeout = limits.kept_ms;
    // Node looks every 30 s, and takes another interval only as an option of a constructor that Restify calls.
    Object.assign(server, { connectionsCheckingInterval: limits.sweep_ms });
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('upgrade', ({ socket }) => this.#begin(socket));
  }

  start(): void {
    this.#cancelSweep = this.#use.clock.after(
      this.#use.limits.sweep_ms,
      () => {
        this.#sweep();
        this.start();
      },
      { unref: true },
    );
  }

  stop(): void {
    this.#cancelSweep();
  }

  begin(exchange: Exchange): void {
    this.#unknown.set(exchange, undefined);
    this.#begin(exchange.request.socket);
  }

  end(exchange: Exchange): void {
    this.#unknown.delete(exchange);
    const { socket } = exchange.request;
    const left = this.#open.get(socket);
    if (left === undefined) return;
    this.#open.set(socket, left - 1);
    if (left === 1) this.#idle.set(socket, this.#use.clock.monotonic());
  }

  /** Node closed, or will close, a connection whose head did not arrive in time. */
  noteSlowHead(): void {
    this.#closed.inc({ reason: 'head' });
  }

  #add(socket: Socket): void {
    this.#open.set(socket, 0);
    this.#idle.set(socket, this.#use.clock.monotonic());
    socket.once('close', () => this.#forget(socket));
    // Without it the connection of a machine that vanished stays open for as long as nothing is sent to it.
    socket.setKeepAlive(true, this.#use.limits.probe_ms);
    if (this.#open.size > this.#use.most) this.#makeRoom(socket);
  }

  #begin(socket: Socket): void {
    this.#idle.delete(socket);
    this.#open.set(socket, (this.#open.get(socket) ?? 0) + 1);
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket);
    this.#idle.delete(socket);
  }

  #close(socket: Socket, reason: Reason): void {
    this.#closed.inc({ reason });
    this.#forget(socket);
    socket.destroy();
  }

  /**
   * A known caller loses a request by it only where nobody else makes room and that caller has more than a quarter of the oldest
   * requests under way: one token that holds all connections keeps nobody out. Else `newest` is closed.
   */
  #makeRoom(newest: Socket): void {
    const [longest] = this.#idle.keys();
    const busy = () => (this.#oldestUnknown() ?? this.#oldestOfMost())?.request.socket ?? newest;
    this.#close(longest !== newest ? longest! : busy(), 'full');
    this.#crowded += 1;
    const now = this.#use.clock.monotonic();
    if (now - this.#logged_at < LOG_INTERVAL_MS) return;
    this.#use.log.warn(
      { most: this.#use.most, closed: this.#crowded },
      'there are as many connections as SVC_MAX_CONNECTIONS allows; for each new one another is closed',
    );
    this.#crowded = 0;
    this.#logged_at = now;
  }

  /** Of the caller with more than a quarter of the oldest requests under way. */
  #oldestOfMost(): Exchange | undefined {
    const looked: Exchange[] = [];
    for (const exchange of this.#use.exchanges) {
      if (looked.length === LOOKED) break;
      looked.push(exchange);
    }
    const byCaller = Map.groupBy(looked, (exchange) => callerOf(exchange));
    const [most = []] = [...byCaller.values()].sort((a, b) => b.length - a.length);
    return most.length * 4 > looked.length && most.length > 1 ? most[0] : undefined;
  }

  #oldestUnknown(): Exchange | undefined {
    for (const exchange of this.#unknown.keys()) {
      if (exchange.principal === undefined) return exchange;
      this.#unknown.delete(exchange);
    }
    return undefined;
  }

  /**
   * Closes what Node leaves open: a kept connection that sends blank lines, an answer that a stranger does not read, and a
   * stream that nobody reads.
   */
  #sweep(): void {
    const { head_ms, kept_ms, answer_ms, unread_stream_ms } = this.#use.limits;
    const now = this.#use.clock.monotonic();
    for (const [socket, since] of this.#idle) {
      if (now - since <= head_ms + kept_ms) break;
      this.#close(socket, 'idle');
    }
    for (const [exchange, answered_at] of this.#unknown) {
      const { principal, response, request } = exchange;
      if (principal !== undefined) this.#unknown.delete(exchange);
      else if (answered_at !== undefined && now - answered_at > answer_ms) this.#close(request.socket, 'answer');
      else if (response.writableEnded) this.#unknown.set(exchange, answered_at ?? now);
    }
    for (const { request } of this.#use.streams.unread(now, unread_stream_ms)) this.#close(request.socket, 'answer');
  }
}
