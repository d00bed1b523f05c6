import { allowInsecureRequests, customFetch } from 'oauth4webapi';
import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../../../kernel/contracts/index.ts';
import type { TokenOutcome } from '../contract.ts';
import { retryAfter } from '../../../platform/egress/contract.ts';
import { normalizeTokenResponse } from '../domain/token-response.ts';

const FORM = 'application/x-www-form-urlencoded';

type Failure = Exclude<TokenOutcome, { outcome: 'granted' } | { outcome: 'refused' }>;

/** One request to a provider, with the reason when it fails. */
export class Exchange {
  readonly #egress: Egress;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #timeout_ms: number;
  readonly #before: () => void;
  #sent = false;
  #failure: Failure | undefined;

  constructor(
    { egress, clock }: { egress: Egress; clock: Pick<Clock, 'now'> },
    timeout_ms: number,
    before = (): void => undefined,
  ) {
    this.#egress = egress;
    this.#clock = clock;
    this.#timeout_ms = timeout_ms;
    this.#before = before;
  }

  /** True when no usable answer came. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get why(): string {
    return this.#failure?.why ?? '';
  }

  failure(): Failure {
    return this.#failure!;
  }

  /**
   * Options for oauth4webapi. The addresses were checked when the settings were read. `read` converts an answer for the
   * library.
   */
  options(read: (answer: EgressAnswer) => Response = (answer) => this.#toResponse(answer)) {
    return {
      [customFetch]: (url: string, request: PostRequest) => this.#fetch(url, request, read),
      [allowInsecureRequests]: true,
    };
  }

  /** Returns undefined when no answer came. */
  async send(request: EgressRequest): Promise<EgressAnswer | undefined> {
    try {
      const sending = () => {
        this.#before();
        this.#sent = true;
      };
      return await this.#egress.request({ ...request, timeout_ms: this.#timeout_ms, sending });
    } catch (error) {
      if (!isServiceError(error)) throw error;
      this.#failure = { outcome: this.#sent ? 'unknown' : 'unsent', why: error.message };
      return undefined;
    }
  }

  async #fetch(
    url: string,
    { body, headers }: PostRequest,
    read: (answer: EgressAnswer) => Response,
  ): Promise<Response> {
    const answer = await this.send({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': FORM, accept: 'application/json' },
      body: Buffer.from(String(body)),
    });
    if (answer === undefined) throw new Error('there is no response');
    return read(answer);
  }

  #toResponse({ status, headers, body }: EgressAnswer): Response {
    const normalized = normalizeTokenResponse(status, headers['content-type'] ?? '', body);
    if (normalized !== undefined) return jsonResponse(normalized.status, normalized.body);
    const after_ms = retryAfter(headers['retry-after'], this.#clock.now());
    const why = `it answered ${status}`;
    // A gateway answers 502 or 504 when the provider's answer was lost, and 503 without a time is just as vague.
    const is_deferred = status === 429 || (status === 503 && after_ms !== undefined);
    if (is_deferred) this.#failure = { outcome: 'later', why, after_ms };
    else this.#failure = { outcome: 'unknown', why: `${why} without tokens or a reason` };
    throw new Error(why);
  }
}

const jsonResponse = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** Keeps only the status, because nothing else matters for a revocation. */
export const statusResponse = ({ status }: EgressAnswer): Response => new Response(null, { status });

interface PostRequest {
  body?: unknown;
  headers?: Record<string, string>;
}
