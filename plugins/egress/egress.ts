import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request as send } from 'undici';
import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../kernel/contracts/index.ts';
import type { AllowList } from './allow-list.ts';
import { ENCODINGS, readAnswer } from './answer-body.ts';
import { checkedConnector, reasonOf, type Resolver, systemResolver } from './connect.ts';
import { EgressErrors } from './errors.ts';
import { readRatio } from './ratio.ts';
import { checkRequest, type CheckedRequest } from './request-rules.ts';

export interface EgressParts {
  allow: AllowList;
  clock: Clock;
  /** The User-Agent of svc. */
  version: string;
  /** How many times as long as its compressed bytes a large answer may become; absent: 100. */
  ratio?: number;
  /** Absent: the system's resolver. */
  resolve?: Resolver;
  /** Certificates that are trusted instead of the system's. */
  ca?: string;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 2 * 1024 * 1024;
/** Connections to one origin; further requests wait. As many as a server sends at once. */
const CONNECTIONS = 64;
const IDLE_MS = 10_000;

export class EgressClient implements Egress {
  readonly #clock: Clock;
  readonly #ratio: number;
  readonly #agent: Agent;
  readonly #defaults: Readonly<Record<string, string>>;

  constructor({ allow, clock, version, ratio = readRatio(undefined), resolve = systemResolver, ca }: EgressParts) {
    this.#ratio = ratio;
    this.#clock = clock;
    this.#defaults = { 'user-agent': `svc/${version}`, 'accept-encoding': ENCODINGS };
    this.#agent = new Agent({
      connect: checkedConnector({ allow, resolve, ca }),
      allowH2: false,
      connections: CONNECTIONS,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      // One time limit for the whole exchange, ours.
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
      return await this.#exchange(checked, request, signal);
    } catch (error) {
      if (request.signal?.aborted) throw EgressErrors.egressFailed(`${checked.shown}: the exchange was ended early`);
      if (abort.signal.aborted) throw EgressErrors.egressFailed(`${checked.shown}: no answer within ${timeout_ms} ms`);
      throw visible(error, checked.shown);
    } finally {
      cancel();
    }
  }

  /** Aborts requests in progress and closes every connection. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #exchange(
    { url, shown, method, headers }: CheckedRequest,
    { body, max_bytes = MAX_BYTES, may_cut = false, spill, sending }: EgressRequest,
    signal: AbortSignal,
  ): Promise<EgressAnswer> {
    const watched = body && sending ? watchedBody(body, sending) : undefined;
    const answer = await send(url, {
      dispatcher: this.#agent,
      method: method as Dispatcher.HttpMethod,
      headers: { ...this.#defaults, ...headers, ...watched?.headers },
      body: watched?.body ?? body ?? null,
      signal,
    });
    const joined = joinHeaders(answer.headers);
    const encoding = method === 'HEAD' ? '' : (joined['content-encoding'] ?? '');
    const head = { status: answer.statusCode, headers: joined };
    const limits = { max_bytes, may_cut, spill: spill?.(head), ratio: this.#ratio, shown };
    return { ...head, ...(await readAnswer(answer.body, encoding, limits)) };
  }
}

/** The client asks for the body when the connection stands, and writes the head together with its first part. */
function watchedBody(body: Buffer, sending: () => void) {
  async function* parts(): AsyncGenerator<Buffer> {
    sending();
    yield body;
  }
  return { body: Readable.from(parts(), { objectMode: false }), headers: { 'content-length': String(body.length) } };
}

/** Errors of the address check name the host; all others name the URL. */
function visible(error: unknown, shown: string): Error {
  if (isServiceError(error)) return error;
  return EgressErrors.egressFailed(`${shown}: ${reasonOf(error)}`);
}

function joinHeaders(given: Dispatcher.ResponseData['headers']): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  return { ...joined };
}
