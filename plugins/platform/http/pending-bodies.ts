import { Errors, type Metrics } from '../../../kernel/contracts/index.ts';
import { shareKey } from './callers.ts';
import type { RequestContext } from './request-context.ts';

/** Smaller bodies are not counted, because the number of connections limits them. */
const COUNTED_BYTES = 16 * 1024;
const RETRY_MS = 1000;

/** A body that is being read, or that was read for a request that has not been answered. */
interface PendingBody {
  share: string;
  bytes: number;
  /** Stops the reading; undefined once the body is complete. */
  reject: ((error: Error) => void) | undefined;
}

/**
 * Limits the bytes of request bodies in memory, which callers that send many large bodies, or send them slowly, would otherwise
 * exhaust. At the limit, the oldest unfinished body of the org with the most bytes is rejected. All unauthenticated callers count
 * as one org.
 */
export class PendingBodies {
  readonly #max_bytes: number;
  /** Oldest first. */
  readonly #pending = new Map<RequestContext, PendingBody>();
  readonly #shares = new Map<string, number>();
  #bytes = 0;

  constructor(max_bytes: number, metrics: Metrics) {
    this.#max_bytes = max_bytes;
    metrics.gauge('svc_http_held_body_bytes', 'Bytes of the bodies of unanswered requests.', () => this.bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Records how many bytes of a body have arrived. `refuse` stops its reading; only the one of the first call is used. Throws
   * `rate_limited` when no other body can make room.
   */
  track(context: RequestContext, bytes: number, reject: (error: Error) => void): void {
    if (bytes <= COUNTED_BYTES || context.isDisconnected) return;
    const body = this.#pending.get(context) ?? { share: shareKey(context), bytes: 0, reject };
    this.#pending.set(context, body);
    this.#count(body, bytes - body.bytes);
    if (this.#bytes > this.#max_bytes) this.#rejectFromLargest(context);
  }

  /** Marks the body as complete. It counts until the request has been answered. */
  markComplete(context: RequestContext): void {
    const body = this.#pending.get(context);
    if (body) body.reject = undefined;
  }

  /** Stops counting a body, because its request has been answered or it was rejected. */
  remove(context: RequestContext): void {
    const body = this.#pending.get(context);
    if (!body) return;
    this.#pending.delete(context);
    this.#count(body, -body.bytes);
  }

  #rejectFromLargest(newest: RequestContext): void {
    const shares = [...this.#shares].sort(([, a], [, b]) => b - a);
    for (const [share] of shares)
      for (const [context, body] of this.#pending) {
        if (body.share !== share || body.reject === undefined) continue;
        const { reject: refuse } = body;
        this.remove(context);
        if (context === newest) throw toBodyLimitError(this.#max_bytes);
        refuse(toBodyLimitError(this.#max_bytes));
        if (this.#bytes <= this.#max_bytes) return;
      }
  }

  #count(body: PendingBody, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    const now = (this.#shares.get(body.share) ?? 0) + bytes;
    if (now > 0) this.#shares.set(body.share, now);
    else this.#shares.delete(body.share);
  }
}

const toBodyLimitError = (most: number) =>
  Errors.rateLimited(
    `this server holds ${most} bytes of unanswered requests, which is its limit; send this request again`,
    {
      retryAfterMs: RETRY_MS,
    },
  );
