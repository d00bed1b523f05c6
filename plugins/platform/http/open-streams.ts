import { Errors } from '../../../kernel/contracts/index.ts';
import { callerKey, shareKey } from './callers.ts';
import type { RequestContext } from './request-context.ts';
import type { StreamLimits } from './max-streams.ts';

const RETRY_MS = 5000;
const ADVICE =
  'read or close some of them (followed logs, logs, downloads), or try again later. The operator sets it with SVC_MAX_STREAMS';

/** How many bytes of a stream its connection had accepted at the last check, and since when there were no more. */
interface Progress {
  sent: number;
  since: number;
}

/**
 * Tracks answers that are streams. Each holds a socket and buffers data ahead of its reader, so the number for each caller is
 * limited, and a stream that nobody reads is ended.
 */
export class OpenStreams {
  readonly #limits: StreamLimits;
  /** The number of streams of each caller, and of all callers about one org. */
  readonly #counts = new Map<string, number>();
  readonly #keys = new Map<RequestContext, readonly string[]>();
  readonly #progress = new Map<RequestContext, Progress>();
  #total = 0;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#progress.size;
  }

  /** Reserves a stream for the caller until `end`. Throws `rate_limited`. */
  reserve(context: RequestContext): void {
    const caller = callerKey(context);
    const open = this.#counts.get(caller) ?? 0;
    const share = `share of ${shareKey(context)}`;
    const { caller: max_per_caller, org, server } = this.#limits;
    if (open >= max_per_caller)
      throw streamLimitReached(
        `you have ${open} streams open, and the limit for a caller is ${max_per_caller}; ${ADVICE}`,
      );
    if ((this.#counts.get(share) ?? 0) >= org)
      throw streamLimitReached(`the org has ${org} streams open, which is its limit; ${ADVICE}`);
    if (this.#total >= server)
      throw streamLimitReached(`this server has ${server} streams open, which is its limit; ${ADVICE}`);
    if (context.isDisconnected) return;
    this.#keys.set(context, [caller, share]);
    this.#adjust(context, 1);
  }

  /** Checks from now on, until `end`, whether the stream is read. */
  watch(context: RequestContext, now: number): void {
    if (context.isDisconnected) return;
    this.#progress.set(context, { sent: 0, since: now });
  }

  /** Called when the answer has ended. */
  end(context: RequestContext): void {
    this.#adjust(context, -1);
    this.#keys.delete(context);
    this.#progress.delete(context);
  }

  /**
   * Yields the streams with data that nobody has read for longer than `most_ms`. A stream without data does not count, and
   * neither does one that is read slowly.
   */
  *unread(now: number, most_ms: number): Generator<RequestContext> {
    for (const [context, progress] of this.#progress) {
      const { sent, response } = context;
      if (response.writableLength === 0 || sent !== progress.sent) this.#progress.set(context, { sent, since: now });
      else if (now - progress.since > most_ms) yield context;
    }
  }

  #adjust(context: RequestContext, by: 1 | -1): void {
    const keys = this.#keys.get(context);
    if (!keys) return;
    this.#total += by;
    for (const key of keys) {
      const now = (this.#counts.get(key) ?? 0) + by;
      if (now > 0) this.#counts.set(key, now);
      else this.#counts.delete(key);
    }
  }
}

const streamLimitReached = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
