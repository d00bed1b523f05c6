import {
  type AccessControl,
  callerOf,
  type Clock,
  Errors,
  type HttpReply,
  type HttpRequest,
  isServiceError,
  type JsonSchema,
  type Principal,
  type Route,
  type Scope,
  yieldToEventLoop,
} from '../../../kernel/contracts/index.ts';
import { compile, parseJsonYielding, yieldBeforeLarge, type Validator } from '../schema/contract.ts';
import { hasBody, readBody } from './body.ts';
import type { CallerSource, OperationCall, RecognisedCaller, UnknownRequest } from './contract.ts';
import { checkStreamHeaders, streamBody } from './body-stream.ts';
import type { Tracer } from '../tracing/contract.ts';
import type { RequestContext } from './request-context.ts';
import type { PendingBodies } from './pending-bodies.ts';
import type { HttpLimits } from './limits.ts';
import type { OpenStreams } from './open-streams.ts';
import type { CallerRates } from './caller-rates.ts';
import { type QueryReader, queryReader } from './query.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;
const EMPTY = Buffer.alloc(0);
const NO_SCOPE: Scope = Object.freeze({ org_id: '', org: '', project_id: '', project: '' });

export interface EndpointOptions {
  clock: Clock;
  limits: HttpLimits;
  control: () => AccessControl;
  rates: CallerRates;
  sources: readonly CallerSource[];
  tracer: Tracer | undefined;
  unread: Pick<UnreadAnswers, 'check'>;
  streams: Pick<OpenStreams, 'reserve' | 'watch'>;
  bodies: Pick<PendingBodies, 'track' | 'markComplete' | 'remove'>;
  /** Resolves to true when a row that was not found may be visible now. */
  catchUp: () => Promise<boolean>;
}

type InnerCall = Pick<OperationCall, 'query' | 'body'> & { params: Readonly<Record<string, string>> };

interface CompiledSchemas {
  query: QueryReader;
  body: Validator | undefined;
}

/** A route with compiled schemas and fixed limits. The order of its checks is the policy. */
export class Endpoint {
  readonly route: Route;
  readonly #options: EndpointOptions;
  #compiled_schemas: CompiledSchemas | undefined;

  constructor(route: Route, options: EndpointOptions) {
    this.route = route;
    this.#options = options;
  }

  /** Compiles the schemas now instead of at the first request. Throws when one of them is invalid. */
  prepare(): void {
    void this.#schemas;
  }

  get #schemas(): CompiledSchemas {
    this.#compiled_schemas ??= compileSchemas(this.route);
    return this.#compiled_schemas;
  }

  /**
   * Checks authentication first, then authorization, then the body: nothing of a body is read for a caller that may not send
   * it.
   */
  handle(context: RequestContext, params: Readonly<Record<string, string>>): Promise<HttpReply> {
    const { trace } = context;
    const { tracer } = this.#options;
    if (!tracer || !trace) return this.#handle(context, params);
    return tracer.within(trace.context, () => this.#handle(context, params));
  }

  async #handle(context: RequestContext, params: Readonly<Record<string, string>>): Promise<HttpReply> {
    const { principal, scope } = await this.#admit(context, params);
    context.org_id = scope.org_id;
    if (!this.route.unmetered) this.#options.unread.check(context);
    // This comes before the handler, which may read a lot until it knows where the stream begins.
    if (this.route.streams) this.#options.streams.reserve(context);
    checkParams(params, this.#options.limits.param_length);
    const query = this.#schemas.query(context.search);
    const read = { params, query, principal, scope, ...(await this.#read(context)) };
    const admitted = () => this.#readmit(context, params);
    const handle = () => this.route.handle(toHttpRequest(context, read, admitted));
    // A stream can be read only once.
    const reply = await (read.content ? handle() : this.#withCatchUp(handle));
    if ('stream' in reply) this.#options.streams.watch(context, this.#options.clock.monotonic());
    return reply;
  }

  /** Handles a call from within the process: everything is checked that does not belong to the connection. */
  async call({ params, query = {}, body }: InnerCall, by: HttpRequest): Promise<HttpReply> {
    const { method, path, body: body_schema } = this.route;
    const principal = callerOf(by);
    const scope = await this.#withCatchUp(() =>
      this.#options.control().authorize(principal, this.route.access, params),
    );
    checkParams(params, this.#options.limits.param_length);
    const query_entries = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const request = {
      ...{ method, path, params, scope, principal, body, raw: EMPTY, request_id: by.request_id, ip: by.ip },
      query: this.#schemas.query(new URLSearchParams(query_entries).toString()),
      headers: { 'user-agent': by.headers['user-agent'] },
      signal: by.signal,
      admitted: () => by.admitted(),
    };
    if (body_schema && body !== undefined) this.#validate(body, by.raw.length);
    return this.#withCatchUp(() => this.route.handle(request));
  }

  async allows(params: Readonly<Record<string, string>>, by: HttpRequest): Promise<boolean> {
    try {
      await this.#options.control().authorize(callerOf(by), this.route.access, params);
      return true;
    } catch (error) {
      if (isServiceError(error, 'forbidden')) return false;
      throw error;
    }
  }

  async #admit(context: RequestContext, params: Readonly<Record<string, string>>) {
    const { access, unmetered } = this.route;
    const { rates } = this.#options;
    const address = context.ip;
    if (!unmetered) rates.request(address);
    if (access.kind === 'public') return { principal: undefined, scope: NO_SCOPE };
    const control = this.#options.control();
    const { authorization } = context.request.headers;
    // The header takes precedence over cookies, because no other site can make a browser send it.
    const recognised =
      authorization === undefined && access.kind !== 'agent' ? await this.#recognise(context) : undefined;
    const principal =
      recognised ??
      (await rates.authenticate(address, authorization, () => control.authenticate(authorization, address)));
    context.principal = principal;
    if (!unmetered) rates.token(principal.token_id);
    return { principal, scope: await this.#withCatchUp(() => control.authorize(principal, access, params)) };
  }

  /**
   * Checks the caller of a long-lived answer again. A caller with a session is not recognised by its cookie again: that cookie
   * has been replaced since, and would look like a stolen one.
   */
  async #readmit(context: RequestContext, params: Readonly<Record<string, string>>): Promise<void> {
    const { principal } = context;
    if (!principal || context.request.headers.authorization !== undefined) {
      await this.#admit(context, params);
      return;
    }
    if (!this.route.unmetered) this.#options.rates.request(context.ip);
    await this.#options.control().authorize(principal, this.route.access, params);
  }

  async #recognise(context: RequestContext): Promise<Principal | undefined> {
    const { request, path, id } = context;
    const headers = request.headers as Record<string, string | undefined>;
    const unknown = { method: request.method!, path, headers, ip: context.ip, request_id: id };
    for (const source of this.#options.sources) {
      const caller = await this.#findCaller(source, unknown);
      if (!caller) continue;
      Object.assign(context.headers, caller.headers);
      if (caller.headers_ms !== undefined) context.headers_until = this.#options.clock.monotonic() + caller.headers_ms;
      return caller.principal;
    }
    return undefined;
  }

  #findCaller(source: CallerSource, unknown: UnknownRequest): Promise<RecognisedCaller | undefined> {
    const credential = source.credentialOf?.(unknown);
    if (credential === undefined) return source.callerOf(unknown);
    source.screen?.(unknown);
    const { rates } = this.#options;
    return rates.authenticate(unknown.ip, `${source.name} ${credential}`, () => source.callerOf(unknown));
  }

  /** Tries again after `not_found`, because another server may just have told the caller about this resource. */
  async #withCatchUp<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isServiceError(error, 'not_found') || !(await this.#options.catchUp())) throw error;
      return work();
    }
  }

  async #read(context: RequestContext): Promise<Pick<HttpRequest, 'raw' | 'body' | 'content'>> {
    const { request } = context;
    const { route } = this;
    const { limits } = this.#options;
    if (route.stream_body) return { raw: EMPTY, body: undefined, content: this.#stream(context) };
    const accepts_body = route.raw_body === true || route.body !== undefined;
    if (!accepts_body && hasBody(request))
      throw Errors.invalidRequest(`${route.method} ${route.path} does not accept a body`);
    if (!route.raw_body && hasBody(request)) checkType(request.headers['content-type']);
    const raw = await this.#readRawBody(context);
    if (!route.body || route.raw_body) return { raw, body: undefined };
    await yieldBeforeLarge(raw.length);
    const body = raw.length === 0 ? defaultBody(route.body) : await parseJsonYielding(raw, limits);
    if (body !== undefined) this.#validate(body, raw.length);
    // Parsing took long, so other requests may run first.
    if (raw.length > limits.list_errors_bytes) await yieldToEventLoop();
    return { raw, body };
  }

  async #readRawBody(context: RequestContext): Promise<Buffer> {
    const { request, response } = context;
    const { clock, limits, bodies } = this.#options;
    const limit = this.route.body_limit ?? limits.body_bytes;
    const track = (bytes: number, reject: (error: Error) => void) => bodies.track(context, bytes, reject);
    try {
      const raw = await readBody(request, response, { clock, limits, limit, hold: track });
      bodies.markComplete(context);
      return raw;
    } catch (error) {
      bodies.remove(context);
      throw error;
    }
  }

  #stream(context: RequestContext): AsyncIterable<Buffer> {
    const { request, response, signal } = context;
    const { clock, limits, bodies } = this.#options;
    const limit = this.route.body_limit ?? Number.POSITIVE_INFINITY;
    checkStreamHeaders(request, limit);
    if (!this.route.buffers_body) return streamBody(request, response, { limit, clock, limits, signal });
    const rejection = new AbortController();
    const reject = (error: Error) => rejection.abort(error);
    const track = (bytes: number) => bodies.track(context, bytes, reject);
    const signals = AbortSignal.any([signal, rejection.signal]);
    return this.#markCompleteAfter(
      context,
      streamBody(request, response, { limit, clock, limits, signal: signals, hold: track }),
    );
  }

  async *#markCompleteAfter(context: RequestContext, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    yield* content;
    this.#options.bodies.markComplete(context);
  }

  #validate(body: unknown, bytes: number): void {
    const errors = this.#schemas.body!(body, { all: bytes <= this.#options.limits.list_errors_bytes, doubles: true });
    const [first] = errors;
    if (!first) return;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw Errors.invalidRequest(`the body is not valid: ${first.pointer || 'it'} ${first.message}${more}`, { errors });
  }
}

function compileSchemas({ method, path, query, body }: Route): CompiledSchemas {
  try {
    return { query: queryReader(query), body: body && compile(closeSchema(body)) };
  } catch (error) {
    throw new Error(`${method} ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Makes a schema reject unknown members even if it does not say so. */
function closeSchema(schema: JsonSchema): JsonSchema {
  const open = ['additionalProperties', 'unevaluatedProperties', '$ref'].some((keyword) => keyword in schema);
  return schema.type === 'object' && !open ? { ...schema, additionalProperties: false } : schema;
}

/**
 * A missing body counts as an empty object when the schema needs an object, so that the error names the missing members.
 * Otherwise it stays undefined.
 */
function defaultBody(schema: JsonSchema): unknown {
  return schema.type === 'object' ? {} : undefined;
}

function checkParams(params: Readonly<Record<string, string>>, max_length: number): void {
  for (const [name, value] of Object.entries(params)) {
    if (value === '') throw Errors.notFound('no route has this path');
    if (name === '*' || value.length <= max_length) continue;
    const message = `has more than ${max_length} characters`;
    const errors = [{ pointer: `/path/${name}`, message }];
    throw Errors.invalidRequest(`the path is not valid: ${name} ${message}`, { errors });
  }
}

function checkType(header: string | undefined): void {
  const [type = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  if (!JSON_TYPE.test(type.trim())) throw Errors.unsupportedMediaType('the Content-Type must be application/json');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw Errors.unsupportedMediaType('the charset must be UTF-8');
}

type ParsedRequest = Pick<HttpRequest, 'params' | 'query' | 'raw' | 'body' | 'content' | 'principal' | 'scope'>;

function toHttpRequest(context: RequestContext, read: ParsedRequest, admitted: HttpRequest['admitted']): HttpRequest {
  const { request, path, id } = context;
  return {
    ...read,
    method: request.method!,
    path,
    // Node joins repeated headers, except Set-Cookie, which requests do not have.
    headers: request.headers as Record<string, string | undefined>,
    request_id: id,
    ip: context.ip,
    admitted,
    // Created at first use: most handlers never need it.
    get signal() {
      return context.signal;
    },
  };
}
