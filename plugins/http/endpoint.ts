import {
  type AccessControl,
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
} from '../../kernel/contracts/index.ts';
import { compile, parseJsonInTurns, turnForLarge, type Validator } from '../schema/contract.ts';
import { hasBody, readBody } from './body.ts';
import type { CallerSource, RecognisedCaller, UnknownRequest } from './contract.ts';
import { checkStreamed, streamBody } from './body-stream.ts';
import type { Tracer } from '../tracing/contract.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { OpenStreams } from './open-streams.ts';
import type { CallerRates } from './caller-rates.ts';
import { type QueryReader, queryReader } from './query.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;
const EMPTY = Buffer.alloc(0);
const NO_SCOPE: Scope = Object.freeze({ org_id: '', org: '', project_id: '', project: '' });

export interface Serving {
  clock: Clock;
  limits: HttpLimits;
  control: () => AccessControl;
  rates: CallerRates;
  sources: readonly CallerSource[];
  tracer: Tracer | undefined;
  unread: Pick<UnreadAnswers, 'check'>;
  streams: Pick<OpenStreams, 'take' | 'watch'>;
  /** True: what was not found may be there now. */
  catchUp: () => Promise<boolean>;
}

interface Compiled {
  query: QueryReader;
  body: Validator | undefined;
}

/** A route with compiled schemas and fixed limits. The order of its checks is the policy. */
export class Endpoint {
  readonly route: Route;
  readonly #use: Serving;
  #made: Compiled | undefined;

  constructor(route: Route, use: Serving) {
    this.route = route;
    this.#use = use;
  }

  /** Compiles the schemas, which the first request does otherwise. Throws when one of them is invalid. */
  prepare(): void {
    void this.#compiled;
  }

  get #compiled(): Compiled {
    this.#made ??= compiled(this.route);
    return this.#made;
  }

  /**
   * Authentication first, then authorization, then the body: nothing of a body is read for a caller that may not send
   * it.
   */
  answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<HttpReply> {
    const { trace } = exchange;
    const { tracer } = this.#use;
    if (!tracer || !trace) return this.#answer(exchange, params);
    return tracer.within(trace.context, () => this.#answer(exchange, params));
  }

  async #answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<HttpReply> {
    const { principal, scope } = await this.#admit(exchange, params);
    if (!this.route.unmetered) this.#use.unread.check(exchange);
    // Before the handler, which may read much until it knows where the stream begins.
    if (this.route.streams) this.#use.streams.take(exchange);
    checkParams(params, this.#use.limits.param_length);
    const query = this.#compiled.query(exchange.search);
    const read = { params, query, principal, scope, ...(await this.#read(exchange)) };
    const admitted = () => this.#admitAgain(exchange, params);
    const handle = () => this.route.handle(requestOf(exchange, read, admitted));
    // A stream can be read only once.
    const reply = await (read.content ? handle() : this.#surely(handle));
    if ('stream' in reply) this.#use.streams.watch(exchange, this.#use.clock.monotonic());
    return reply;
  }

  async #admit(exchange: Exchange, params: Readonly<Record<string, string>>) {
    const { access, unmetered } = this.route;
    const { rates } = this.#use;
    const address = exchange.ip;
    if (!unmetered) rates.request(address);
    if (access.kind === 'public') return { principal: undefined, scope: NO_SCOPE };
    const control = this.#use.control();
    const { authorization } = exchange.request.headers;
    // The header wins: no other site can make a browser send it.
    const known = authorization === undefined && access.kind !== 'agent' ? await this.#recognise(exchange) : undefined;
    const principal =
      known ?? (await rates.authenticate(address, authorization, () => control.authenticate(authorization, address)));
    exchange.principal = principal;
    if (!unmetered) rates.token(principal.token_id);
    return { principal, scope: await this.#surely(() => control.authorize(principal, access, params)) };
  }

  /**
   * While an answer lasts. Whoever came without a token is not recognised anew: a cookie of then has been replaced since, and
   * would look like a stolen one.
   */
  async #admitAgain(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<void> {
    const { principal } = exchange;
    if (!principal || exchange.request.headers.authorization !== undefined) {
      await this.#admit(exchange, params);
      return;
    }
    if (!this.route.unmetered) this.#use.rates.request(exchange.ip);
    await this.#use.control().authorize(principal, this.route.access, params);
  }

  async #recognise(exchange: Exchange): Promise<Principal | undefined> {
    const { request, path, id } = exchange;
    const headers = request.headers as Record<string, string | undefined>;
    const unknown = { method: request.method!, path, headers, ip: exchange.ip, request_id: id };
    for (const source of this.#use.sources) {
      const found = await this.#ask(source, unknown);
      if (!found) continue;
      Object.assign(exchange.headers, found.headers);
      if (found.headers_ms !== undefined) exchange.headers_until = this.#use.clock.monotonic() + found.headers_ms;
      return found.principal;
    }
    return undefined;
  }

  #ask(source: CallerSource, unknown: UnknownRequest): Promise<RecognisedCaller | undefined> {
    const credential = source.credentialOf?.(unknown);
    if (credential === undefined) return source.callerOf(unknown);
    source.screen?.(unknown);
    const { rates } = this.#use;
    return rates.authenticate(unknown.ip, `${source.name} ${credential}`, () => source.callerOf(unknown));
  }

  /** A caller may ask for what another server has just told him of. */
  async #surely<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isServiceError(error, 'not_found') || !(await this.#use.catchUp())) throw error;
      return work();
    }
  }

  async #read(exchange: Exchange): Promise<Pick<HttpRequest, 'raw' | 'body' | 'content'>> {
    const { request, response } = exchange;
    const { route } = this;
    const { clock, limits } = this.#use;
    if (route.stream_body) return { raw: EMPTY, body: undefined, content: this.#stream(exchange) };
    const takes = route.raw_body === true || route.body !== undefined;
    if (!takes && hasBody(request)) throw Errors.invalidRequest(`${route.method} ${route.path} does not accept a body`);
    if (!route.raw_body && hasBody(request)) checkType(request.headers['content-type']);
    const raw = await readBody(request, response, { clock, limits, limit: route.body_limit ?? limits.body_bytes });
    if (!route.body || route.raw_body) return { raw, body: undefined };
    await turnForLarge(raw.length);
    const body = raw.length === 0 ? absent(route.body) : await parseJsonInTurns(raw, limits);
    if (body !== undefined) this.#validate(body, raw.length);
    // Parsing took long: let other requests run first.
    if (raw.length > limits.list_faults_bytes) await yieldToEventLoop();
    return { raw, body };
  }

  #stream({ request, response, signal }: Exchange): AsyncIterable<Buffer> {
    const { clock, limits } = this.#use;
    const limit = this.route.body_limit ?? Number.POSITIVE_INFINITY;
    checkStreamed(request, limit);
    return streamBody(request, response, { limit, clock, limits, signal });
  }

  #validate(body: unknown, bytes: number): void {
    const errors = this.#compiled.body!(body, { all: bytes <= this.#use.limits.list_faults_bytes, doubles: true });
    const [first] = errors;
    if (!first) return;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw Errors.invalidRequest(`the body is not valid: ${first.pointer || 'it'} ${first.message}${more}`, { errors });
  }
}

function compiled({ method, path, query, body }: Route): Compiled {
  try {
    return { query: queryReader(query), body: body && compile(closed(body)) };
  } catch (error) {
    throw new Error(`${method} ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Unknown members are refused even if the schema does not say so. */
function closed(schema: JsonSchema): JsonSchema {
  const open = ['additionalProperties', 'unevaluatedProperties', '$ref'].some((keyword) => keyword in schema);
  return schema.type === 'object' && !open ? { ...schema, additionalProperties: false } : schema;
}

/**
 * A missing body counts as an empty object where an object is required, so that the missing members are named.
 * Otherwise it stays absent.
 */
function absent(schema: JsonSchema): unknown {
  return schema.type === 'object' ? {} : undefined;
}

function checkParams(params: Readonly<Record<string, string>>, longest: number): void {
  for (const [name, value] of Object.entries(params)) {
    if (value === '') throw Errors.notFound('no route has this path');
    if (name === '*' || value.length <= longest) continue;
    const message = `has more than ${longest} characters`;
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

type Read = Pick<HttpRequest, 'params' | 'query' | 'raw' | 'body' | 'content' | 'principal' | 'scope'>;

function requestOf(exchange: Exchange, read: Read, admitted: HttpRequest['admitted']): HttpRequest {
  const { request, path, id } = exchange;
  return {
    ...read,
    method: request.method!,
    path,
    // Node joins repeated headers. Only Set-Cookie would be a list, and no request has it.
    headers: request.headers as Record<string, string | undefined>,
    request_id: id,
    ip: exchange.ip,
    admitted,
    // Created at first use: most handlers never need it.
    get signal() {
      return exchange.signal;
    },
  };
}
