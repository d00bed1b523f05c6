import { type Cancel, Errors } from '../../../kernel/contracts/index.ts';

/** Streams at a time: of all callers of this server, in one org, and of one user. Each holds a socket. */
export const MAX_STREAMS = 10_000;
/** No org takes the places of all others. */
export const MAX_STREAMS_OF_AN_ORG = 5000;
export const MAX_STREAMS_OF_A_USER = 100;

const RETRY_MS = 5000;

/** Counts open streams. */
export class SeatCounter {
  readonly #users = new Map<string, number>();
  readonly #orgs = new Map<string, number>();
  #all = 0;

  /** The returned function gives the place back, once. Throws `rate_limited`. */
  take(user_id: string, org_id: string): Cancel {
    const own = this.#users.get(user_id) ?? 0;
    if (own >= MAX_STREAMS_OF_A_USER)
      throw refused(`you have ${own} live streams open, which is the limit; close a page, or wait`);
    if ((this.#orgs.get(org_id) ?? 0) >= MAX_STREAMS_OF_AN_ORG)
      throw refused(`the org has ${MAX_STREAMS_OF_AN_ORG} live streams open, which is the limit; try again later`);
    if (this.#all >= MAX_STREAMS) throw refused('too many live streams are open on this server; try again later');
    const change = (by: 1 | -1) => {
      this.#all += by;
      count(this.#users, user_id, by);
      count(this.#orgs, org_id, by);
    };
    change(1);
    let held = true;
    return () => {
      if (held) change(-1);
      held = false;
    };
  }
}

function count(held: Map<string, number>, id: string, by: 1 | -1): void {
  const now = (held.get(id) ?? 0) + by;
  if (now > 0) held.set(id, now);
  else held.delete(id);
}

const refused = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
