import { allowInsecureRequests, customFetch } from 'oauth4webapi';
import {
  type Clock,
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  isServiceError,
} from '../../../kernel/contracts/index.ts';
import type { TokenOutcome } from '../contract.ts';
import { retryAfter } from '../../egress/contract.ts';
import { plainAnswer } from '../domain/token-answer.ts';

const FORM = 'application/x-www-form-urlencoded';

type Failure = Exclude<TokenOutcome, { outcome: 'granted' } | { outcome: 'refused' }>;

/** One request to a provider, and why it came to nothing. */
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

  /** True when there is no answer that could be used. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  get why(): string {
    return this.#failure?.why ?? '';
  }

  failure(): Failure {
    return this.#failure!;
  }

  /** For oauth4webapi. The addresses were checked when the settings were read. `read` makes an answer readable for it. */
  options(read: (answer: EgressAnswer) => Response = (answer) => this.#read(answer)) {
    return {
      [customFetch]: (url: string, request: Posted) => this.#fetch(url, request, read),
      [allowInsecureRequests]: true,
    };
  }

  /** Undefined when there was no answer. */
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

  async #fetch(url: string, { body, headers }: Posted, read: (answer: EgressAnswer) => Response): Promise<Response> {
    const answer = await this.send({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': FORM, accept: 'application/json' },
      body: Buffer.from(String(body)),
    });
    if (answer === undefined) throw new Error('there is no answer');
    return read(answer);
  }

  #read({ status, headers, body }: EgressAnswer): Response {
    const plain = plainAnswer(status, headers['content-type'] ?? '', body);
    if (plain !== undefined) return jsonResponse(plain.status, plain.body);
    const after_ms = retryAfter(headers['retry-after'], this.#clock.now());
    const why = `it answered ${status}`;
    // A gateway says 502 and 504 when the answer of the provider was lost; 503 without a time is as vague.
    const put_off = status === 429 || (status === 503 && after_ms !== undefined);
    if (put_off) this.#failure = { outcome: 'later', why, ...(after_ms === undefined ? {} : { after_ms }) };
    else this.#failure = { outcome: 'unknown', why: `${why} without tokens or a reason` };
    throw new Error(why);
  }
}

const jsonResponse = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** The status alone: of a revocation nothing else counts. */
export const bareResponse = ({ status }: EgressAnswer): Response => new Response(null, { status });

interface Posted {
  body?: unknown;
  headers?: Record<string, string>;
}
