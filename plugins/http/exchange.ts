import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Ids, Principal } from '../../kernel/contracts/index.ts';
import type { AddressReader } from './far-address.ts';
import type { RequestTrace } from './request-trace.ts';
import { splitTarget } from './screen.ts';

const SANE_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const KEY = Symbol('exchange');

type Marked = IncomingMessage & { [KEY]?: Exchange };

/**
 * The caller's own id is kept when it is well-formed, so that one id names a request across services. Otherwise one is
 * created.
 */
export function requestId(request: IncomingMessage, ids: Ids): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE_ID.test(given) ? given : ids.next('req');
}

interface ExchangeParts {
  ids: Ids;
  clock: Clock;
  addressOf: AddressReader;
}

/** One request and its answer, from the first byte of the head to the last byte of the answer. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Of whoever sent it, empty on a Unix socket. */
  readonly ip: string;
  readonly started: number;
  readonly path: string;
  readonly search: string;
  /** The route's pattern for logs and metrics; never the raw path. */
  pattern = '(none)';
  principal: Principal | undefined;
  /** Its span, when somebody traces. */
  trace: RequestTrace | undefined;
  /** Of the answer, whatever it will be; those of a route win over them. */
  readonly headers: Record<string, string> = {};
  /** By the monotonic clock; an answer that begins later goes without `headers`. */
  headers_until = Number.POSITIVE_INFINITY;
  /** Bytes of the answer's body. */
  sent = 0;
  #abort: AbortController | undefined;
  #reason: unknown;

  constructor(request: IncomingMessage, response: ServerResponse, { ids, clock, addressOf }: ExchangeParts) {
    this.request = request;
    this.response = response;
    this.id = requestId(request, ids);
    this.ip = addressOf(request);
    this.started = clock.monotonic();
    const { path, search } = splitTarget(request.url ?? '');
    this.path = path;
    this.search = search;
    (request as Marked)[KEY] = this;
  }

  static of(request: IncomingMessage): Exchange | undefined {
    return (request as Marked)[KEY];
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

  get answered(): boolean {
    return this.response.headersSent || this.response.writableEnded;
  }

  /** The caller has disconnected. */
  get gone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }
}
