import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  AccessControl,
  Clock,
  HealthChecks,
  HttpRoutes,
  HttpUpgrades,
  Ids,
  Log,
  Metrics,
  type Resolve,
  type Route,
  Settings,
} from '../../kernel/contracts/index.ts';
import { type Tracer, Tracing } from '../tracing/contract.ts';
import { AccessLog } from './access-log.ts';
import { CallerRates } from './caller-rates.ts';
import { Connections } from './connections.ts';
import { type AddressReader, readTrustedProxy } from './far-address.ts';
import { CallerSources, HttpPages } from './contract.ts';
import { drain, stopping } from './drain.ts';
import { Endpoint } from './endpoint.ts';
import { Exchange } from './exchange.ts';
import { createReadiness, healthRoutes } from './health.ts';
import { type HttpLimits, LIMITS } from './limits.ts';
import { listen, type Listening } from './listen.ts';
import { openFilesLimit, readMaxConnections, withinFiles } from './max-connections.ts';
import { readMaxStreams } from './max-streams.ts';
import { OpenStreams } from './open-streams.ts';
import { METHODS, refuseRaw, unacceptable } from './problem.ts';
import { openapiRoute } from './openapi.ts';
import type { RateLimits } from './rate-limits.ts';
import { Answers } from './reply.ts';
import { beginTrace } from './request-trace.ts';
import { createRouter } from './router.ts';
import { originForm, screen } from './screen.ts';
import { UnreadAnswers } from './unread-answers.ts';
import { Upgrades } from './upgrades.ts';

export interface HttpBounds {
  limits?: Partial<HttpLimits>;
  /** Absent: requests are not limited. */
  rates?: RateLimits;
  /** Routes of svc itself, whose schemas its tests compile: here their first requests do. */
  own?: ReadonlySet<unknown>;
  /** As of `Database`; absent: nothing is looked for again. */
  catchUp?: () => Promise<boolean>;
}

/** Clients are generated from the document, so operation names must be unique. */
function checkOperations(routes: readonly Route[]): void {
  const places = new Map<string, string>();
  for (const { operation, method, path } of routes) {
    const other = places.get(operation);
    if (other !== undefined) throw new Error(`${method} ${path} and ${other} both have the operation ${operation}`);
    places.set(operation, `${method} ${path}`);
  }
}

/** The HTTP server with everything that plugins contributed. */
export class HttpServer {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #log: Log;
  readonly #limits: HttpLimits;
  readonly #exchanges = new Set<Exchange>();
  readonly #tracer: Tracer | undefined;
  readonly #access: AccessLog;
  readonly #streams: OpenStreams;
  readonly #addressOf: AddressReader;
  readonly #answers: Answers;
  readonly #upgrades: Upgrades;
  readonly #server: Server;
  readonly #connections: Connections;
  #listening: Promise<Listening> | undefined;
  #open: Listening | undefined;
  #closing: Promise<void> | undefined;

  /** Throws when the schema of a route is invalid that is not `own`. */
  constructor(use: Resolve, bounds: HttpBounds) {
    const { limits: changed, rates: rate_limits = {}, own = new Set(), catchUp = async () => false } = bounds;
    const limits = { ...LIMITS, ...changed };
    this.#settings = use(Settings);
    this.#addressOf = readTrustedProxy(this.#settings.env.SVC_TRUSTED_PROXY);
    this.#clock = use(Clock);
    this.#ids = use(Ids);
    this.#log = use(Log).child({ part: 'http' });
    this.#limits = limits;
    this.#tracer = use(Tracing).on;
    this.#access = new AccessLog(this.#log, this.#clock, use(Metrics), this.#tracer);
    const draining = () => this.#closing !== undefined;
    const addressOf = this.#addressOf;
    const shared = { clock: this.#clock, ids: this.#ids, log: this.#log, limits, draining };
    let access: AccessControl | undefined;
    const control = () => (access ??= use(AccessControl));
    const unread = new UnreadAnswers(limits.unread_bytes);
    const streams = new OpenStreams(readMaxStreams(this.#settings.env.SVC_MAX_STREAMS));
    this.#streams = streams;
    this.#answers = new Answers({ ...shared, unread });
    const rates = new CallerRates(rate_limits, this.#clock, use(Metrics));
    this.#upgrades = new Upgrades({ ...shared, control, rates, addressOf, upgrades: use.all(HttpUpgrades) });
    const readiness = createReadiness({ ...shared, checks: use.all(HealthChecks), health_ms: limits.health_ms });
    const routes = [
      ...use.all(HttpRoutes),
      ...healthRoutes({ draining, metrics: use(Metrics), readiness }),
      ...this.#upgrades.routes(),
    ];
    const described = openapiRoute(routes, this.#settings.version);
    checkOperations([...routes, described]);
    const known = { sources: use.all(CallerSources), tracer: this.#tracer };
    const serving = { clock: this.#clock, limits, control, rates, catchUp, unread, streams, ...known };
    const endpoints = [...routes, described].map((route) => new Endpoint(route, serving));
    for (const endpoint of endpoints) if (!own.has(endpoint.route)) endpoint.prepare();
    const pages = use.all(HttpPages);
    const router = createRouter({
      endpoints,
      pages,
      answers: this.#answers,
      limits,
      begin: (...pair) => this.#begin(...pair),
    });
    this.#server = this.#harden(router.server as Server);
    const most = this.#maxConnections();
    const { clock, log } = shared;
    const exchanges = this.#exchanges;
    const watched = { clock, log, metrics: use(Metrics), limits, most, streams, exchanges };
    this.#connections = new Connections(this.#server, watched);
  }

  async listen(): Promise<void> {
    this.#listening ??= listen(this.#server, this.#settings);
    this.#open = await this.#listening;
    if (this.#closing === undefined) this.#connections.start();
    void this.#open.widened.then((reason) => {
      if (reason !== undefined) this.#log.warn({ reason }, 'connections are accepted one at a time');
    });
  }

  /** `http://127.0.0.1:8787`, or `unix:<path>`. Throws before `listen`. */
  base_url(): string {
    if (this.#open === undefined) throw new Error('the server does not listen yet');
    return this.#open.base_url;
  }

  /** Drains within `bound_ms` and closes what is left. Every call answers the first call's promise. */
  close(bound_ms: number): Promise<void> {
    this.#closing ??= this.#close(bound_ms);
    return this.#closing;
  }

  async #close(bound_ms: number): Promise<void> {
    // The caller of a failed listen has its error; nothing is open then.
    const listening = this.#open ?? (await this.#listening?.catch(() => undefined));
    if (!listening) return;
    const { drain_tick_ms: tick_ms } = this.#limits;
    const [server, clock, upgrades] = [this.#server, this.#clock, this.#upgrades];
    const parts = { server, listening, clock, upgrades, exchanges: this.#exchanges };
    this.#connections.stop();
    await drain({ ...parts, tick_ms }, bound_ms);
  }

  #maxConnections(): number {
    const wanted = readMaxConnections(this.#settings.env.SVC_MAX_CONNECTIONS);
    const files = openFilesLimit();
    const most = withinFiles(wanted, files);
    if (most < wanted)
      this.#log.warn(
        { files, wanted, most },
        'this process may open too few files for SVC_MAX_CONNECTIONS (ulimit -n)',
      );
    return most;
  }

  /** Runs first for each request, synchronously. False when the request was answered here and must not be routed. */
  #begin(request: IncomingMessage, response: ServerResponse): boolean {
    request.url = originForm(request.url ?? '');
    const parts = { ids: this.#ids, clock: this.#clock, addressOf: this.#addressOf };
    const exchange = new Exchange(request, response, parts);
    if (this.#tracer) exchange.trace = beginTrace(this.#tracer, request);
    this.#exchanges.add(exchange);
    this.#connections.begin(exchange);
    // It came on a connection that was kept: it may finish, but not wait.
    if (this.#closing !== undefined) exchange.abort(stopping());
    response.on('error', (error) =>
      this.#log.debug({ request_id: exchange.id, reason: error.message }, 'the connection of an answer failed'),
    );
    response.once('close', () => {
      this.#exchanges.delete(exchange);
      this.#connections.end(exchange);
      this.#streams.end(exchange);
      if (!response.writableFinished) exchange.abort(new Error('the caller closed the connection'));
      this.#access.write(exchange);
    });
    const fault = screen(request, this.#limits);
    if (fault) this.#answers.fail(exchange, fault);
    else if (request.url === '*') this.#answers.bytes(exchange, 204, { Allow: METHODS }, Buffer.alloc(0));
    return fault === undefined && request.url !== '*';
  }

  #harden(server: Server): Server {
    // Otherwise Node would answer a missing Host in its own words.
    Object.assign(server, { requireHostHeader: false });
    Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => this.#upgrades.wants(request) });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrades.handle(request, socket, head);
    });
    server.on('connect', (request: IncomingMessage, socket: Duplex) => {
      refuseRaw(socket, unacceptable.connect(request, this.#ids), { clock: this.#clock, limits: this.#limits });
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      if (this.#begin(request, response)) this.#answers.fail(Exchange.of(request)!, unacceptable.expectation());
    });
    server.on('error', ({ code }: NodeJS.ErrnoException) => this.#log.error({ code }, 'the listening socket failed'));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#onClientError(error, socket));
    return server;
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const begun = [...this.#exchanges].some(
      ({ request, response }) => request.socket === socket && response.headersSent,
    );
    if (begun || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') this.#connections.noteSlowHead();
    const problem = unacceptable.http(error, this.#ids);
    this.#log.info({ reason: error.code, status: problem.status }, 'a request was not valid HTTP');
    refuseRaw(socket, problem, { clock: this.#clock, limits: this.#limits });
  }
}
