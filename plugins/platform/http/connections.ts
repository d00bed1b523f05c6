import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, Clock, Log, Metrics } from '../../../kernel/contracts/index.ts';
import type { RequestContext } from './request-context.ts';
import { AuthenticatedRequests } from './authenticated-requests.ts';
import type { HttpLimits } from './limits.ts';
import type { OpenStreams } from './open-streams.ts';

/** The shortest interval between two log lines about connections that were closed because there are too many. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Why a connection was closed, as the metrics name it: `head` when no complete head arrived in time, `answer` when its caller
 * did not read an answer.
 */
type Reason = 'full' | 'head' | 'idle' | 'answer';

export interface ConnectionsOptions {
  clock: Clock;
  log: Log;
  metrics: Metrics;
  limits: HttpLimits;
  /** The maximum number of open connections. */
  max: number;
  streams: Pick<OpenStreams, 'count' | 'unread'>;
}

/**
 * Tracks all connections of the server: those of its 32 listeners, and upgraded ones. Node's `maxConnections` counts each
 * listener separately and turns away the newest connection. Here the connection that has been idle for longest is closed
 * instead, so that a crowd that opens connections and holds them does not keep others out.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #closed: ReturnType<Metrics['counter']>;
  /** The number of requests in flight on each connection. An upgraded connection counts as one request forever. */
  readonly #open = new Map<Socket, number>();
  /** The idle connections and since when they are idle, longest first. */
  readonly #idle = new Map<Socket, number>();
  /**
   * The requests in flight whose caller was not authenticated at the last check, oldest first, and since when their answer
   * waits to be read.
   */
  readonly #unauthenticated = new Map<RequestContext, number | undefined>();
  /** The other requests in flight. */
  readonly #authenticated = new AuthenticatedRequests();
  #cancelSweep: Cancel = () => undefined;
  #closed_count = 0;
  #logged_at = Number.NEGATIVE_INFINITY;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    const { metrics, limits, streams } = options;
    metrics.gauge('svc_http_connections', 'Open connections, including WebSockets of agents.', () => this.#open.size);
    metrics.gauge('svc_http_streams', 'Open streams: logs, downloads, live pages.', () => streams.count);
    this.#closed = metrics.counter(
      'svc_http_connections_closed_total',
      'Connections that the server closed: too many (full), incomplete headers (head), no request (idle), an unread response (answer).',
      ['reason'],
    );
    // Bodies have their own limits, and a streamed body may take long. This is a last resort.
    server.requestTimeout = 24 * 3_600_000;
    server.headersTimeout = limits.head_ms;
    server.keepAliveTimeout = limits.keep_alive_ms;
    // Node checks every 30 s, and accepts another interval only as an option of a constructor that Restify calls.
    Object.assign(server, { connectionsCheckingInterval: limits.sweep_ms });
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('upgrade', ({ socket }) => this.#begin(socket));
  }

  start(): void {
    this.#cancelSweep = this.#options.clock.after(
      this.#options.limits.sweep_ms,
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

  begin(context: RequestContext): void {
    this.#unauthenticated.set(context, undefined);
    this.#begin(context.request.socket);
  }

  end(context: RequestContext): void {
    this.#unauthenticated.delete(context);
    this.#authenticated.delete(context);
    const { socket } = context.request;
    const active = this.#open.get(socket);
    if (active === undefined) return;
    this.#open.set(socket, active - 1);
    if (active === 1) this.#idle.set(socket, this.#options.clock.monotonic());
  }

  /** Counts a connection that Node closes because its head did not arrive in time. */
  noteSlowHead(): void {
    this.#closed.inc({ reason: 'head' });
  }

  #add(socket: Socket): void {
    this.#open.set(socket, 0);
    this.#idle.set(socket, this.#options.clock.monotonic());
    socket.once('close', () => this.#remove(socket));
    // Without keep-alive, the connection of a machine that vanished stays open for as long as nothing is sent to it.
    socket.setKeepAlive(true, this.#options.limits.probe_ms);
    if (this.#open.size > this.#options.max) this.#closeForNew(socket);
  }

  #begin(socket: Socket): void {
    this.#idle.delete(socket);
    this.#open.set(socket, (this.#open.get(socket) ?? 0) + 1);
  }

  #remove(socket: Socket): void {
    this.#open.delete(socket);
    this.#idle.delete(socket);
  }

  #close(socket: Socket, reason: Reason): void {
    this.#closed.inc({ reason });
    this.#remove(socket);
    socket.destroy();
  }

  /**
   * Closes a connection to make room for `newest`: an idle one, or else one whose caller is not authenticated. An authenticated
   * caller loses a request only if nobody else makes room and its org has many of all requests in flight, so that the members of
   * one org that hold all connections keep nobody out. Otherwise `newest` itself is closed.
   */
  #closeForNew(newest: Socket): void {
    const [longest] = this.#idle.keys();
    const busy = () =>
      (this.#oldestUnauthenticated() ?? this.#authenticated.oldestOfBusiest())?.request.socket ?? newest;
    this.#close(longest !== newest ? longest! : busy(), 'full');
    this.#closed_count += 1;
    const now = this.#options.clock.monotonic();
    if (now - this.#logged_at < LOG_INTERVAL_MS) return;
    this.#options.log.warn(
      { most: this.#options.max, closed: this.#closed_count },
      'the SVC_MAX_CONNECTIONS limit is reached; each new connection closes another one',
    );
    this.#closed_count = 0;
    this.#logged_at = now;
  }

  #oldestUnauthenticated(): RequestContext | undefined {
    for (const context of this.#unauthenticated.keys()) {
      if (context.principal === undefined) return context;
      this.#markAuthenticated(context);
    }
    return undefined;
  }

  #markAuthenticated(context: RequestContext): void {
    this.#unauthenticated.delete(context);
    this.#authenticated.add(context);
  }

  /**
   * Closes what Node leaves open: an idle connection that sends blank lines, an answer that an unauthenticated caller does not
   * read, and a stream that nobody reads.
   */
  #sweep(): void {
    const { head_ms, keep_alive_ms, answer_ms, unread_stream_ms } = this.#options.limits;
    const now = this.#options.clock.monotonic();
    for (const [socket, since] of this.#idle) {
      if (now - since <= head_ms + keep_alive_ms) break;
      this.#close(socket, 'idle');
    }
    for (const [context, answered_at] of this.#unauthenticated) {
      const { principal, response, request } = context;
      if (principal !== undefined) this.#markAuthenticated(context);
      else if (answered_at !== undefined && now - answered_at > answer_ms) this.#close(request.socket, 'answer');
      else if (response.writableEnded) this.#unauthenticated.set(context, answered_at ?? now);
    }
    for (const { request } of this.#options.streams.unread(now, unread_stream_ms))
      this.#close(request.socket, 'answer');
  }
}
