import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock, HttpReply, Log } from '../contracts/index.ts';
import { hasBody, linger } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import { toProblem, visible } from './problem.ts';

const NO_BODY = new Set([204, 205, 304]);

export interface Answering {
  clock: Clock;
  limits: HttpLimits;
  log: Log;
  /** True once the server stops: every answer then closes its connection. */
  draining(): boolean;
}

/** Writes answers; the only place that touches a response. */
export class Answers {
  readonly #use: Answering;

  constructor(use: Answering) {
    this.#use = use;
  }

  async reply(exchange: Exchange, reply: HttpReply): Promise<void> {
    const headers: Record<string, string> = { 'Cache-Control': 'no-store', ...reply.headers };
    if ('stream' in reply) {
      headers['Content-Type'] = reply.type;
      await this.#stream(exchange, reply.status, headers, reply.stream);
      return;
    }
    if ('text' in reply) headers['Content-Type'] = reply.type;
    else if (reply.json !== undefined) headers['Content-Type'] = 'application/json';
    const text = 'text' in reply ? reply.text : reply.json === undefined ? '' : JSON.stringify(reply.json);
    this.bytes(exchange, reply.status, headers, Buffer.from(text));
  }

  /** An error as its problem document; what is not ours is logged and hidden. */
  fail(exchange: Exchange, error: unknown, headers: Record<string, string> = {}): void {
    const problem = toProblem(visible(error), exchange.id, exchange.request.headers.authorization !== undefined);
    if (problem.status >= 500) this.#blame(exchange, error, problem.status);
    if (exchange.answered) {
      // Too late for a problem document: a cut connection is the only honest end of a half-sent answer.
      exchange.response.destroy();
      return;
    }
    for (const name of exchange.response.getHeaderNames()) exchange.response.removeHeader(name);
    this.bytes(exchange, problem.status, { ...problem.headers, ...headers }, problem.body);
  }

  bytes(exchange: Exchange, status: number, headers: Record<string, string>, body: Buffer): void {
    const { request, response } = exchange;
    const unread = this.#head(exchange, status, headers);
    const payload = NO_BODY.has(status) ? undefined : body;
    if (payload) response.setHeader('Content-Length', payload.length);
    exchange.sent = payload && request.method !== 'HEAD' ? payload.length : 0;
    if (!unread) {
      response.end(request.method === 'HEAD' ? undefined : payload);
      return;
    }
    if (payload && request.method !== 'HEAD') response.write(payload);
    else response.flushHeaders();
    linger(request, () => response.end(), this.#use.clock, this.#use.limits.linger_ms);
  }

  /** True when the body of the request was left unread: the connection can then serve no other request. */
  #head({ id, request, response }: Exchange, status: number, headers: Record<string, string>): boolean {
    const unread = hasBody(request) && !request.complete;
    response.statusCode = status;
    response.setHeader('X-Request-Id', id);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Referrer-Policy', 'no-referrer');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (unread || this.#use.draining()) response.setHeader('Connection', 'close');
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
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#blame(exchange, error, visible(error).status);
      response.destroy();
    });
  }

  #blame(exchange: Exchange, error: unknown, status: number): void {
    const fields = { request_id: exchange.id, route: exchange.pattern, status, ...causeOf(error) };
    if (status === 500) this.#use.log.error(fields, 'a request failed by a fault of the server');
    else this.#use.log.warn(fields, 'a request was refused for now');
  }
}

/** Enough to find the fault; bounded, and without the members in which libraries keep statements and bodies. */
function causeOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { cause: typeof error };
  const { name, code } = error as Error & { code?: unknown };
  const inner = error.cause instanceof Error ? { inner: String(error.cause.stack).slice(0, 4000) } : {};
  return { cause: name, code, stack: String(error.stack).slice(0, 4000), ...inner };
}
