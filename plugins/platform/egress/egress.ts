import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as send } from 'undici';
import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../../kernel/contracts/index.ts';
import type { AllowList } from './allow-list.ts';
import { type AnswerLimits, ENCODINGS, readAnswer } from './answer-body.ts';
import { checkedConnector, reasonOf, type Resolver, systemResolver } from './connect.ts';
import { EgressErrors } from './errors.ts';
import { readRatio } from './ratio.ts';
import { checkRequest, type CheckedRequest } from './request-rules.ts';

export interface EgressOptions {
  allow: AllowList;
  clock: Clock;
  /** The version in the User-Agent. */
  version: string;
  /** How many times as long as its compressed bytes a large answer may become. Default 100. */
  ratio?: number;
  /** Defaults to the system's resolver. */
  resolve?: Resolver;
  /** Certificates that are trusted instead of the system's. */
  ca?: string;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 * 1024 * 1024;
/** The maximum number of connections to one origin. Further requests wait. */
const CONNECTIONS = 64;
const IDLE_MS = 10_000;

export class EgressClient implements Egress {
  readonly #clock: Clock;
  readonly #ratio: number;
  readonly #agent: Agent;
  readonly #defaults: Readonly<Record<string, string>>;

  constructor({ allow, clock, version, ratio = readRatio(undefined), resolve = systemResolver, ca }: EgressOptions) {
    this.#ratio = ratio;
    this.#clock = clock;
    this.#defaults = { 'user-agent': `svc/${version}`, 'accept-encoding': ENCODINGS };
    this.#agent = new Agent({
      connect: checkedConnector({ allow, resolve, ca }),
      allowH2: false,
      connections: CONNECTIONS,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // Our own time limit covers the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async request(request: EgressRequest): Promise<EgressAnswer> {
    const checked = checkRequest(request);
    const timeout_ms = request.timeout_ms ?? TIMEOUT_MS;
    const abort = new AbortController();
    const cancel = this.#clock.after(timeout_ms, () => abort.abort());
    const signal = request.signal ? AbortSignal.any([abort.signal, request.signal]) : abort.signal;
    try {
      return await this.#sendRequest(checked, request, signal);
    } catch (error) {
      if (request.signal?.aborted)
        throw EgressErrors.egressFailed(`${checked.redacted_url}: the request was ended early`);
      if (abort.signal.aborted)
        throw EgressErrors.egressFailed(`${checked.redacted_url}: no response within ${timeout_ms} ms`);
      throw toEgressError(error, checked.redacted_url);
    } finally {
      cancel();
    }
  }

  /** Aborts requests in progress and closes every connection. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #sendRequest(
    { url, redacted_url: shown, method, headers }: CheckedRequest,
    { body, max_bytes = MAX_BYTES, may_truncate = false, spill, sending }: EgressRequest,
    signal: AbortSignal,
  ): Promise<EgressAnswer> {
    const observed = body && sending ? observeBody(body, sending) : undefined;
    const answer = await send(url, {
      dispatcher: this.#agent,
      method: method as Dispatcher.HttpMethod,
      headers: { ...this.#defaults, ...headers, ...observed?.headers },
      body: observed?.body ?? body ?? null,
      signal,
    });
    const joined_headers = joinHeaders(answer.headers);
    const encoding = method === 'HEAD' ? '' : (joined_headers['content-encoding'] ?? '');
    const head = { status: answer.statusCode, headers: joined_headers };
    const limits: AnswerLimits = {
      max_bytes,
      may_truncate,
      spill: spill?.(head),
      ratio: this.#ratio,
      redacted_url: shown,
    };
    return { ...head, ...(await readAnswer(answer.body, encoding, limits)) };
  }
}

/** Calls `sending` when undici reads the body: that is once the connection is established, before it writes the head. */
function observeBody(body: Buffer, sending: () => void) {
  async function* chunks(): AsyncGenerator<Buffer> {
    sending();
    yield body;
  }
  return { body: Readable.from(chunks(), { objectMode: false }), headers: { 'content-length': String(body.length) } };
}

/** Converts an error for the caller. Errors of the address check name the host, and all others name the URL. */
function toEgressError(error: unknown, redacted_url: string): Error {
  if (isServiceError(error)) return error;
  return EgressErrors.egressFailed(`${redacted_url}: ${reasonOf(error)}`);
}

function joinHeaders(raw: Dispatcher.ResponseData['headers']): Record<string, string> {
  const joined_headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(raw))
    if (value !== undefined) joined_headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  return { ...joined_headers };
}
