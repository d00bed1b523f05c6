import {
  type AccessControl,
  type Clock,
  Errors,
  type HttpReply,
  type HttpRequest,
  type JsonSchema,
  type Principal,
  type Route,
  type Scope,
  turn,
} from '../contracts/index.ts';
import { compile, parseJson, type Validator } from '../schema/index.ts';
import { hasBody, readBody } from './body.ts';
import { addressOf, type Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { CallerRates } from './caller-rates.ts';
import { type QueryReader, queryReader } from './query.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/;
const NO_SCOPE: Scope = Object.freeze({ org_id: '', org: '', project_id: '', project: '' });

export interface Serving {
  clock: Clock;
  limits: HttpLimits;
  control: () => AccessControl;
  rates: CallerRates;
}

/** A route made ready: schemas compiled, limits fixed. The order of its checks is the policy. */
export class Endpoint {
  readonly route: Route;
  readonly #use: Serving;
  readonly #query: QueryReader;
  readonly #body: Validator | undefined;

  constructor(route: Route, use: Serving) {
    this.route = route;
    this.#use = use;
    try {
      this.#query = queryReader(route.query);
      this.#body = route.body && compile(closed(route.body));
    } catch (error) {
      throw new Error(`${route.method} ${route.path}: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Who, then whether, then what: nothing of a body is read for a caller that may not send it. */
  async answer(exchange: Exchange, params: Readonly<Record<string, string>>): Promise<HttpReply> {
    const { principal, scope } = await this.#admit(exchange, params);
    checkParams(params, this.#use.limits.param_length);
    const query = this.#query(exchange.search);
    const { raw, body } = await this.#read(exchange);
    return this.route.handle(new RouteRequest(exchange, { params, query, raw, body, principal, scope }));
  }

  async #admit(exchange: Exchange, params: Readonly<Record<string, string>>) {
    const { access, unmetered } = this.route;
    const { rates } = this.#use;
    const address = addressOf(exchange.request);
    if (!unmetered) rates.request(address);
    if (access.kind === 'public') return { principal: undefined, scope: NO_SCOPE };
    const control = this.#use.control();
    const { authorization } = exchange.request.headers;
    const principal = await rates.authenticate(address, authorization, () =>
      control.authenticate(authorization, address),
    );
    exchange.principal = principal;
    if (!unmetered) rates.token(principal.token_id);
    return { principal, scope: await control.authorize(principal, access, params) };
  }

  async #read({ request, response }: Exchange): Promise<{ raw: Buffer; body: unknown }> {
    const { route } = this;
    const { clock, limits } = this.#use;
    const takes = route.raw_body === true || this.#body !== undefined;
    if (!takes && hasBody(request)) throw Errors.invalidRequest(`${route.method} ${route.path} takes no body`);
    if (!route.raw_body && hasBody(request)) checkType(request.headers['content-type']);
    const raw = await readBody(request, response, { clock, limits, limit: route.body_limit ?? limits.body_bytes });
    if (!this.#body || route.raw_body) return { raw, body: undefined };
    const body = raw.length === 0 ? absent(route.body!) : parseJson(raw, limits);
    if (body !== undefined) this.#validate(body, raw.length);
    // To read it took long: others have their turn before anything is done with it.
    if (raw.length > limits.list_faults_bytes) await turn();
    return { raw, body };
  }

  #validate(body: unknown, bytes: number): void {
    const errors = this.#body!(body, { all: bytes <= this.#use.limits.list_faults_bytes });
    const [first] = errors;
    if (!first) return;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw Errors.invalidRequest(`the body is not valid: ${first.pointer || 'it'} ${first.message}${more}`, { errors });
  }
}

/** Unknown members are refused also where the author of a schema said nothing about them. */
function closed(schema: JsonSchema): JsonSchema {
  const open = ['additionalProperties', 'unevaluatedProperties', '$ref'].some((keyword) => keyword in schema);
  return schema.type === 'object' && !open ? { ...schema, additionalProperties: false } : schema;
}

/** No body is an empty object where an object is due, so that what it lacks is named; else it stays absent. */
function absent(schema: JsonSchema): unknown {
  return schema.type === 'object' ? {} : undefined;
}

function checkParams(params: Readonly<Record<string, string>>, longest: number): void {
  for (const [name, value] of Object.entries(params)) {
    if (value === '') throw Errors.notFound('there is nothing at this path');
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

interface Parts {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  raw: Buffer;
  body: unknown;
  principal: Principal | undefined;
  scope: Scope;
}

class RouteRequest implements HttpRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly raw: Buffer;
  readonly body: unknown;
  readonly principal: Principal | undefined;
  readonly scope: Scope;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, { params, query, raw, body, principal, scope }: Parts) {
    this.#exchange = exchange;
    this.params = params;
    this.query = query;
    this.raw = raw;
    this.body = body;
    this.principal = principal;
    this.scope = scope;
  }

  get method(): string {
    return this.#exchange.request.method!;
  }

  get path(): string {
    return this.#exchange.path;
  }

  /** Node joins repeated headers; only Set-Cookie, which no request carries, would be a list. */
  get headers(): Readonly<Record<string, string | undefined>> {
    return this.#exchange.request.headers as Record<string, string | undefined>;
  }

  get request_id(): string {
    return this.#exchange.id;
  }

  get ip(): string {
    return addressOf(this.#exchange.request);
  }

  get signal(): AbortSignal {
    return this.#exchange.signal;
  }
}
