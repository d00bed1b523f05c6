import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Ids, Principal } from '../../../kernel/contracts/index.ts';
import type { AddressReader } from './client-address.ts';
import type { RequestTrace } from './request-trace.ts';
import { splitTarget } from './check-request.ts';

const VALID_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const KEY = Symbol('exchange');

type TaggedRequest = IncomingMessage & { [KEY]?: RequestContext };

/**
 * Returns the caller's own request id if it is well-formed, so that one id identifies a request across services. Otherwise
 * creates one.
 */
export function requestId(request: IncomingMessage, ids: Ids): string {
  const client_id = request.headers['x-request-id'];
  return typeof client_id === 'string' && VALID_ID.test(client_id) ? client_id : ids.next('req');
}

interface RequestContextOptions {
  ids: Ids;
  clock: Clock;
  addressOf: AddressReader;
}

/** A request and its answer, from the first byte of the head to the last byte of the answer. */
export class RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** The address of the caller; empty on a Unix socket. */
  readonly ip: string;
  readonly started: number;
  readonly path: string;
  readonly search: string;
  /** The route's pattern for logs and metrics; never the raw path. */
  pattern = '(none)';
  principal: Principal | undefined;
  /** The org that the request is about, once its caller has been authorized; empty until then. */
  org_id = '';
  /** The span of the request, if tracing is on. */
  trace: RequestTrace | undefined;
  /** Headers of any answer. Those of the route take precedence. */
  readonly headers: Record<string, string> = {};
  /** An answer that begins after this time, by the monotonic clock, is sent without `headers`. */
  headers_until = Number.POSITIVE_INFINITY;
  /** The number of bytes of the answer's body. */
  sent = 0;
  #abort: AbortController | undefined;
  #reason: unknown;

  constructor(request: IncomingMessage, response: ServerResponse, { ids, clock, addressOf }: RequestContextOptions) {
    this.request = request;
    this.response = response;
    this.id = requestId(request, ids);
    this.ip = addressOf(request);
    this.started = clock.monotonic();
    const { path, search } = splitTarget(request.url ?? '');
    this.path = path;
    this.search = search;
    (request as TaggedRequest)[KEY] = this;
  }

  static from(request: IncomingMessage): RequestContext | undefined {
    return (request as TaggedRequest)[KEY];
  }

  /** Created at first use: most handlers never need it. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    return this.#abort.signal;
  }

  abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#abort?.abort(this.#reason);
  }

  get isAnswered(): boolean {
    return this.response.headersSent || this.response.writableEnded;
  }

  /** True when the caller has disconnected. */
  get isDisconnected(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }
}
