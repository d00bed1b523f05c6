import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  AccessControl,
  Clock,
  HealthChecks,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type Resolve,
  type Route,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { type Tracer, Tracing } from '../tracing/contract.ts';
import { AccessLog } from './access-log.ts';
import { CallerRates, type FailedAttempts } from './caller-rates.ts';
import { Connections } from './connections.ts';
import { type AddressReader, readTrustedProxy } from './client-address.ts';
import { CallerSources, HttpPages } from './contract.ts';
import { drain, serverStopping } from './drain.ts';
import { Endpoint } from './endpoint.ts';
import { RequestContext } from './request-context.ts';
import { createReadiness, healthRoutes } from './health.ts';
import { PendingBodies } from './pending-bodies.ts';
import { type HttpLimits, LIMITS } from './limits.ts';
import { listen, type Listening } from './listen.ts';
import { openFilesLimit, readMaxConnections, withinFiles } from './max-connections.ts';
import { readMaxStreams } from './max-streams.ts';
import { OpenStreams } from './open-streams.ts';
import { METHODS, rejectRaw, protocolErrors } from './problem.ts';
import { openapiRoute } from './openapi.ts';
import { EndpointOperations } from './operations.ts';
import type { RateLimits } from './rate-limits.ts';
import { Answers } from './reply.ts';
import { beginTrace } from './request-trace.ts';
import { createRouter } from './router.ts';
import { originForm, checkRequest } from './check-request.ts';
import { UnreadAnswers } from './unread-answers.ts';
import { Upgrades } from './upgrades.ts';

export interface HttpServerOptions {
  limits?: Partial<HttpLimits>;
  /** The rate limits. Requests are unlimited by default. */
  rates?: RateLimits;
  /** Failed authentications, those of deliveries included. By default they are counted for this server's tokens only. */
  failed?: FailedAttempts;
  /** The routes of svc itself. Tests compile their schemas, so the server compiles them only at the first request. */
  builtin?: ReadonlySet<unknown>;
  /** The method of `Database`. Without it, nothing is looked up a second time. */
  catchUp?: () => Promise<boolean>;
}

/** Clients are generated from the document, so operation names must be unique. */
function checkOperations(routes: readonly Route[]): void {
  const routes_by_operation = new Map<string, string>();
  for (const { operation, method, path } of routes) {
    const other = routes_by_operation.get(operation);
    if (other !== undefined) throw new Error(`${method} ${path} and ${other} both have the operation ${operation}`);
    routes_by_operation.set(operation, `${method} ${path}`);
  }
}

/** The HTTP server with everything that plugins have contributed. */
export class HttpServer {
  readonly #settings: Settings;
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #log: Log;
  readonly #limits: HttpLimits;
  readonly #requests = new Set<RequestContext>();
  readonly #tracer: Tracer | undefined;
  readonly #access: AccessLog;
  readonly #streams: OpenStreams;
  readonly #bodies: PendingBodies;
  readonly #addressOf: AddressReader;
  readonly #answers: Answers;
  readonly #upgrades: Upgrades;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly operations: EndpointOperations;
  #listening: Promise<Listening> | undefined;
  #open: Listening | undefined;
  #closing: Promise<void> | undefined;

  /** Throws when the schema of a third-party route is invalid. */
  constructor(use: Resolve, bounds: HttpServerOptions) {
    const { limits: changed, rates: rate_limits = {}, builtin = new Set(), catchUp = async () => false } = bounds;
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
    const unread = new UnreadAnswers(limits.unread_bytes, limits.unread_org_bytes);
    const streams = new OpenStreams(readMaxStreams(this.#settings.env.SVC_MAX_STREAMS));
    this.#streams = streams;
    const bodies = new PendingBodies(limits.pending_body_bytes, use(Metrics));
    this.#bodies = bodies;
    this.#answers = new Answers({ ...shared, unread });
    const rates = new CallerRates(rate_limits, this.#clock, use(Metrics), bounds.failed);
    const upgrades = use.all(HttpRoutes).flatMap(({ upgrade }) => upgrade ?? []);
    this.#upgrades = new Upgrades({ ...shared, control, rates, addressOf, upgrades });
    const readiness = createReadiness({ ...shared, checks: use.all(HealthChecks), health_ms: limits.health_ms });
    const routes = [...use.all(HttpRoutes), ...healthRoutes({ draining, metrics: use(Metrics), readiness })];
    const openapi_route = openapiRoute(routes, this.#settings.version);
    checkOperations([...routes, openapi_route]);
    const callers = { sources: use.all(CallerSources), tracer: this.#tracer };
    const serving = { clock: this.#clock, limits, control, rates, catchUp, unread, streams, bodies, ...callers };
    const endpoints = [...routes, openapi_route].map((route) => new Endpoint(route, serving));
    for (const endpoint of endpoints) if (!builtin.has(endpoint.route)) endpoint.prepare();
    this.operations = new EndpointOperations(endpoints);
    const pages = use.all(HttpPages);
    const router = createRouter({
      endpoints,
      pages,
      answers: this.#answers,
      limits,
      begin: (request, response) => this.#begin(request, response),
    });
    this.#server = this.#harden(router.server as Server);
    this.#connections = new Connections(this.#server, {
      clock: shared.clock,
      log: shared.log,
      metrics: use(Metrics),
      limits,
      max: this.#maxConnections(),
      streams,
    });
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
    if (this.#open === undefined) throw new Error('the server is not listening yet');
    return this.#open.base_url;
  }

  /** Drains within `bound_ms` and closes what is left. Every call returns the promise of the first. */
  close(bound_ms: number): Promise<void> {
    this.#closing ??= this.#close(bound_ms);
    return this.#closing;
  }

  async #close(bound_ms: number): Promise<void> {
    // When `listen` has failed, its caller has the error and nothing is open.
    const listening = this.#open ?? (await this.#listening?.catch(() => undefined));
    if (!listening) return;
    this.#connections.stop();
    await drain(
      {
        server: this.#server,
        listening,
        clock: this.#clock,
        upgrades: this.#upgrades,
        requests: this.#requests,
        tick_ms: this.#limits.drain_tick_ms,
      },
      bound_ms,
    );
  }

  #maxConnections(): number {
    const configured = readMaxConnections(this.#settings.env.SVC_MAX_CONNECTIONS);
    const files = openFilesLimit();
    const most = withinFiles(configured, files);
    if (most < configured)
      this.#log.warn(
        { files, wanted: configured, most },
        'this process cannot open enough files for SVC_MAX_CONNECTIONS (ulimit -n)',
      );
    return most;
  }

  /** Runs first for each request, synchronously. Returns false when it has answered the request. */
  #begin(request: IncomingMessage, response: ServerResponse): boolean {
    request.url = originForm(request.url ?? '');
    const context = new RequestContext(request, response, {
      ids: this.#ids,
      clock: this.#clock,
      addressOf: this.#addressOf,
    });
    if (this.#tracer) context.trace = beginTrace(this.#tracer, request);
    this.#requests.add(context);
    this.#connections.begin(context);
    // The request came on a kept-alive connection while the server stops: it may finish, but not wait.
    if (this.#closing !== undefined) context.abort(serverStopping());
    response.on('error', (error) =>
      this.#log.debug({ request_id: context.id, reason: error.message }, 'the connection failed during a response'),
    );
    response.once('close', () => {
      this.#requests.delete(context);
      this.#connections.end(context);
      this.#streams.end(context);
      this.#bodies.remove(context);
      if (!response.writableFinished) context.abort(new Error('the caller closed the connection'));
      this.#access.write(context);
    });
    const rejection = checkRequest(request, this.#limits);
    if (rejection) this.#answers.fail(context, rejection);
    else if (request.url === '*') this.#answers.bytes(context, 204, { Allow: METHODS }, Buffer.alloc(0));
    return rejection === undefined && request.url !== '*';
  }

  #harden(server: Server): Server {
    // Otherwise Node would answer a missing Host itself.
    Object.assign(server, { requireHostHeader: false });
    Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => this.#upgrades.matches(request) });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrades.handle(request, socket, head);
    });
    server.on('connect', (request: IncomingMessage, socket: Duplex) => {
      rejectRaw(socket, protocolErrors.connect(request, this.#ids), { clock: this.#clock, limits: this.#limits });
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      if (this.#begin(request, response))
        this.#answers.fail(RequestContext.from(request)!, protocolErrors.expectation());
    });
    server.on('error', ({ code }: NodeJS.ErrnoException) => this.#log.error({ code }, 'the listening socket failed'));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => this.#onClientError(error, socket));
    return server;
  }

  #onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    const begun = [...this.#requests].some(
      ({ request, response }) => request.socket === socket && response.headersSent,
    );
    if (begun || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') this.#connections.noteSlowHead();
    const problem = protocolErrors.http(error, this.#ids);
    this.#log.info({ reason: error.code, status: problem.status }, 'a request was not valid HTTP');
    rejectRaw(socket, problem, { clock: this.#clock, limits: this.#limits });
  }
}
