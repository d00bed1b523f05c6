import { type Cancel, Errors } from '../../../kernel/contracts/index.ts';

/** Streams at a time: of all callers of this server, and of one user. Each holds a socket. */
export const MAX_STREAMS = 10_000;
export const MAX_STREAMS_OF_A_USER = 100;

const RETRY_MS = 5000;

/** Counts open streams. */
export class SeatCounter {
  readonly #users = new Map<string, number>();
  #all = 0;

  /** The returned function gives the place back, once. Throws `rate_limited`. */
  take(user_id: string): Cancel {
    const own = this.#users.get(user_id) ?? 0;
    if (own >= MAX_STREAMS_OF_A_USER)
      throw refused(`you have ${own} live streams open, which is the limit; close a page, or wait`);
    if (this.#all >= MAX_STREAMS) throw refused('too many live streams are open on this server; try again later');
    this.#count(user_id, 1);
    let held = true;
    return () => {
      if (held) this.#count(user_id, -1);
      held = false;
    };
  }

  #count(user_id: string, change: 1 | -1): void {
    this.#all += change;
    const own = (this.#users.get(user_id) ?? 0) + change;
    if (own > 0) this.#users.set(user_id, own);
    else this.#users.delete(user_id);
  }
}

const refused = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
