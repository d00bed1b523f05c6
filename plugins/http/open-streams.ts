import { Errors } from '../../kernel/contracts/index.ts';
import { callerOf } from './callers.ts';
import type { Exchange } from './exchange.ts';
import type { StreamLimits } from './max-streams.ts';

const RETRY_MS = 5000;
const ADVICE =
  'read or close some of them (followed logs, logs, downloads), or try again later. The operator sets it with SVC_MAX_STREAMS';

/** How much of a stream had been handed to its connection when somebody last looked, and since when it is no more. */
interface Progress {
  sent: number;
  since: number;
}

/**
 * Answers that are streams. Each holds a socket and what was read ahead of its reader, so a caller has so many at once, and one that nobody
 * reads is ended.
 */
export class OpenStreams {
  readonly #most: StreamLimits;
  readonly #held = new Map<string, number>();
  readonly #holders = new Map<Exchange, string>();
  readonly #watched = new Map<Exchange, Progress>();
  #all = 0;

  constructor(most: StreamLimits) {
    this.#most = most;
  }

  get count(): number {
    return this.#watched.size;
  }

  /** Takes a place until `end`. Throws `rate_limited`. */
  take(exchange: Exchange): void {
    const caller = callerOf(exchange);
    const own = this.#held.get(caller) ?? 0;
    const { caller: most_own, server } = this.#most;
    if (own >= most_own) throw refused(`you have ${own} streams open, and a caller may have ${most_own}; ${ADVICE}`);
    if (this.#all >= server) throw refused(`this server has ${server} streams open, which is its limit; ${ADVICE}`);
    if (exchange.gone) return;
    this.#count(caller, 1);
    this.#holders.set(exchange, caller);
  }

  /** Looks from now on whether the stream is read, until `end`. */
  watch(exchange: Exchange, now: number): void {
    if (exchange.gone) return;
    this.#watched.set(exchange, { sent: 0, since: now });
  }

  /** The answer has ended. */
  end(exchange: Exchange): void {
    const caller = this.#holders.get(exchange);
    if (caller !== undefined) this.#count(caller, -1);
    this.#holders.delete(exchange);
    this.#watched.delete(exchange);
  }

  /**
   * Those of which something has waited for longer than `most_ms` and nothing was taken. One that has nothing to say waits
   * for nobody, and one that is read slowly gets further.
   */
  *unread(now: number, most_ms: number): Generator<Exchange> {
    for (const [exchange, progress] of this.#watched) {
      const { sent, response } = exchange;
      if (response.writableLength === 0 || sent !== progress.sent) this.#watched.set(exchange, { sent, since: now });
      else if (now - progress.since > most_ms) yield exchange;
    }
  }

  #count(caller: string, by: 1 | -1): void {
    this.#all += by;
    const now = (this.#held.get(caller) ?? 0) + by;
    if (now > 0) this.#held.set(caller, now);
    else this.#held.delete(caller);
  }
}

const refused = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
