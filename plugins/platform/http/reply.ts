import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock, HttpReply, Log } from '../../../kernel/contracts/index.ts';
import { hasBody, linger } from './body.ts';
import type { RequestContext } from './request-context.ts';
import type { HttpLimits } from './limits.ts';
import { toProblem, toPublicError } from './problem.ts';
import type { UnreadAnswers } from './unread-answers.ts';

const CLOSING = Object.freeze({ Connection: 'close' });
/** The header names that are set here, by their lower-case form. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  ['X-Request-Id', 'X-Content-Type-Options', 'Referrer-Policy', 'Cache-Control', 'Content-Type', 'Content-Length'].map(
    (name) => [name.toLowerCase(), name],
  ),
);

/** Spells header names as we do, so that those of a route replace ours: Node writes a head exactly as given. */
const normalizeNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [SPELLINGS.get(name.toLowerCase()) ?? name, value]),
  );

const NO_BODY = new Set([204, 205, 304]);

export interface AnswersOptions {
  clock: Clock;
  limits: HttpLimits;
  log: Log;
  unread: Pick<UnreadAnswers, 'track'>;
  /** True when the server is stopping: every answer then closes its connection. */
  draining(): boolean;
}

/** Writes answers. No other code touches a response. */
export class Answers {
  readonly #options: AnswersOptions;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  async reply(context: RequestContext, reply: HttpReply): Promise<void> {
    const headers: Record<string, string> = {
      'Cache-Control': 'no-store',
      ...(reply.headers && normalizeNames(reply.headers)),
    };
    if ('stream' in reply) {
      headers['Content-Type'] = reply.type;
      await this.#stream(context, reply.status, headers, reply.stream);
      return;
    }
    if ('text' in reply) headers['Content-Type'] = reply.type;
    else if (reply.json !== undefined) headers['Content-Type'] = 'application/json';
    const text = 'text' in reply ? reply.text : reply.json === undefined ? '' : JSON.stringify(reply.json);
    this.bytes(context, reply.status, headers, text);
  }

  /** Answers an error as a problem document. An unknown error is logged and hidden. */
  fail(context: RequestContext, error: unknown, headers: Record<string, string> = {}): void {
    const problem = toProblem(toPublicError(error), context.id, context.request.headers.authorization !== undefined);
    if (problem.status >= 500) this.#logFailure(context, error, problem.status);
    if (context.isAnswered) {
      // Too late for a problem document: closing the connection is the only honest end of a partial answer.
      context.response.destroy();
      return;
    }
    for (const name of context.response.getHeaderNames()) context.response.removeHeader(name);
    this.bytes(context, problem.status, { ...problem.headers, ...headers }, problem.body);
  }

  /** Sends a text together with the head in one write. */
  bytes(context: RequestContext, status: number, headers: Record<string, string>, body: Buffer | string): void {
    const { request, response } = context;
    const bodiless = NO_BODY.has(status);
    const length = Buffer.byteLength(body);
    const unread = this.#head(context, status, bodiless ? headers : { ...headers, 'Content-Length': String(length) });
    const payload = bodiless || request.method === 'HEAD' ? undefined : body;
    context.sent = payload === undefined ? 0 : length;
    if (!unread) {
      response.end(payload);
      this.#options.unread.track(context, response, context.sent);
      return;
    }
    if (payload === undefined) response.flushHeaders();
    else response.write(payload);
    this.#options.unread.track(context, response, context.sent);
    linger(request, () => response.end(), this.#options.clock, this.#options.limits.linger_ms);
  }

  /** Writes the head. Returns true when the request body was not read, so that the connection cannot be used again. */
  #head(
    { id, request, response, headers: always, headers_until }: RequestContext,
    status: number,
    headers: Record<string, string>,
  ): boolean {
    const unread = hasBody(request) && !request.complete;
    response.writeHead(status, {
      'X-Request-Id': id,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...(this.#options.clock.monotonic() <= headers_until && always),
      ...headers,
      ...(unread || this.#options.draining() ? CLOSING : undefined),
    });
    return unread;
  }

  async #stream(
    context: RequestContext,
    status: number,
    headers: Record<string, string>,
    stream: Readable,
  ): Promise<void> {
    const { request, response } = context;
    try {
      this.#head(context, status, headers);
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
      context.sent += Buffer.byteLength(chunk);
    });
    await pipeline(stream, response).catch((error: NodeJS.ErrnoException) => {
      if (!DISCONNECT_CODES.includes(error.code ?? '')) this.#logFailure(context, error, toPublicError(error).status);
      response.destroy();
    });
  }

  #logFailure(context: RequestContext, error: unknown, status: number): void {
    const fields = { request_id: context.id, route: context.pattern, status, ...causeOf(error) };
    if (status === 500) this.#options.log.error(fields, 'a request failed because of an internal error');
    else this.#options.log.warn(fields, 'a request was rejected temporarily');
  }
}

/** The caller closed the connection before its answer was complete, or before it began. */
const DISCONNECT_CODES = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE'];

/** Logs enough to find the cause, within a limit, and without members in which libraries store statements and bodies. */
function causeOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { cause: typeof error };
  const { name, code } = error as Error & { code?: unknown };
  const inner = error.cause instanceof Error ? { inner: String(error.cause.stack).slice(0, 4000) } : {};
  return { cause: name, code, stack: String(error.stack).slice(0, 4000), ...inner };
}
