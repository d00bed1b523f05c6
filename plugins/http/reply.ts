import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock, HttpReply, Log } from '../../kernel/contracts/index.ts';
import { hasBody, linger } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import { toProblem, visible } from './problem.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const CLOSING = Object.freeze({ Connection: 'close' });
/** Header names that are set here, by their lower case. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  ['X-Request-Id', 'X-Content-Type-Options', 'Referrer-Policy', 'Cache-Control', 'Content-Type', 'Content-Length'].map(
    (name) => [name.toLowerCase(), name],
  ),
);

/** A route's own headers replace ours, whatever their case: Node writes a head exactly as given. */
const spelled = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [SPELLINGS.get(name.toLowerCase()) ?? name, value]),
  );

const NO_BODY = new Set([204, 205, 304]);

export interface Answering {
  clock: Clock;
  limits: HttpLimits;
  log: Log;
  unread: Pick<UnreadAnswers, 'note'>;
  /** True when the server is stopping: every answer then closes its connection. */
  draining(): boolean;
}

/** Writes answers; the only code that touches a response. */
export class Answers {
  readonly #use: Answering;

  constructor(use: Answering) {
    this.#use = use;
  }

  async reply(exchange: Exchange, reply: HttpReply): Promise<void> {
    const headers: Record<string, string> = {
      'Cache-Control': 'no-store',
      ...(reply.headers && spelled(reply.headers)),
    };
    if ('stream' in reply) {
      headers['Content-Type'] = reply.type;
      await this.#stream(exchange, reply.status, headers, reply.stream);
      return;
    }
    if ('text' in reply) headers['Content-Type'] = reply.type;
    else if (reply.json !== undefined) headers['Content-Type'] = 'application/json';
    const text = 'text' in reply ? reply.text : reply.json === undefined ? '' : JSON.stringify(reply.json);
    this.bytes(exchange, reply.status, headers, text);
  }

  /** Answers an error as a problem document. An unknown error is logged and hidden. */
  fail(exchange: Exchange, error: unknown, headers: Record<string, string> = {}): void {
    const problem = toProblem(visible(error), exchange.id, exchange.request.headers.authorization !== undefined);
    if (problem.status >= 500) this.#blame(exchange, error, problem.status);
    if (exchange.answered) {
      // Too late for a problem document: closing the connection is the only honest end of a partial answer.
      exchange.response.destroy();
      return;
    }
    for (const name of exchange.response.getHeaderNames()) exchange.response.removeHeader(name);
    this.bytes(exchange, problem.status, { ...problem.headers, ...headers }, problem.body);
  }

  /** Sends a text together with the head in one write. */
  bytes(exchange: Exchange, status: number, headers: Record<string, string>, body: Buffer | string): void {
    const { request, response } = exchange;
    const bodiless = NO_BODY.has(status);
    const length = Buffer.byteLength(body);
    const unread = this.#head(exchange, status, bodiless ? headers : { ...headers, 'Content-Length': String(length) });
    const payload = bodiless || request.method === 'HEAD' ? undefined : body;
    exchange.sent = payload === undefined ? 0 : length;
    if (!unread) {
      response.end(payload);
      this.#use.unread.note(exchange, response, exchange.sent);
      return;
    }
    if (payload === undefined) response.flushHeaders();
    else response.write(payload);
    this.#use.unread.note(exchange, response, exchange.sent);
    linger(request, () => response.end(), this.#use.clock, this.#use.limits.linger_ms);
  }

  /** True when the request body was not read: the connection cannot serve another request. */
  #head(
    { id, request, response, headers: always, headers_until }: Exchange,
    status: number,
    headers: Record<string, string>,
  ): boolean {
    const unread = hasBody(request) && !request.complete;
    response.writeHead(status, {
      'X-Request-Id': id,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...(this.#use.clock.monotonic() <= headers_until && always),
      ...headers,
      ...(unread || this.#use.draining() ? CLOSING : undefined),
    });
    return unread;
  }

  async #stream(exchange: Exchange, status: number, headers: Record<string, string>, stream: Readable): Promise<void> {
    const { request, response } = exchange;
    try {
      this.#head(exchange, status, headers);
      response.flushHeaders();
    } catch (error) {
      stream.destroy();
      throw error;
    }
    if (request.method === 'HEAD') {
      stream.destroy();
      response.end();
      return;
    }
    stream.on('data', (chunk: Buffer | string) => {
      exchange.sent += Buffer.byteLength(chunk);
    });
    await pipeline(stream, response).catch((error: NodeJS.ErrnoException) => {
      if (!CALLER_LEFT.includes(error.code ?? '')) this.#blame(exchange, error, visible(error).status);
      response.destroy();
    });
  }

  #blame(exchange: Exchange, error: unknown, status: number): void {
    const fields = { request_id: exchange.id, route: exchange.pattern, status, ...causeOf(error) };
    if (status === 500) this.#use.log.error(fields, 'a request failed because of a fault in the server');
    else this.#use.log.warn(fields, 'a request was refused temporarily');
  }
}

/** The caller closed the connection before its answer was complete, or before it began. */
const CALLER_LEFT = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE'];

/** Enough to find the fault, with a limit, and without members in which libraries store statements and bodies. */
function causeOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { cause: typeof error };
  const { name, code } = error as Error & { code?: unknown };
  const inner = error.cause instanceof Error ? { inner: String(error.cause.stack).slice(0, 4000) } : {};
  return { cause: name, code, stack: String(error.stack).slice(0, 4000), ...inner };
}
