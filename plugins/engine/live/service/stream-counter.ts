import { type Cancel, Errors } from '../../../../kernel/contracts/index.ts';

/** The number of open streams: of all callers of this server, of one org, and of one user. Each costs a socket. */
export const MAX_STREAMS = 10_000;
/** The limit of one org, so that it cannot use up all streams. */
export const MAX_STREAMS_PER_ORG = 5000;
export const MAX_STREAMS_PER_USER = 100;

const RETRY_MS = 5000;

/** Counts open streams. */
export class StreamCounter {
  readonly #users = new Map<string, number>();
  readonly #orgs = new Map<string, number>();
  #all = 0;

  /** Reserves a stream. The returned function releases it once. Throws `rate_limited`. */
  reserve(user_id: string, org_id: string): Cancel {
    const user_streams = this.#users.get(user_id) ?? 0;
    if (user_streams >= MAX_STREAMS_PER_USER)
      throw limitReached(`you have ${user_streams} live streams open, which is the limit; close a page, or wait`);
    if ((this.#orgs.get(org_id) ?? 0) >= MAX_STREAMS_PER_ORG)
      throw limitReached(`the org has ${MAX_STREAMS_PER_ORG} live streams open, which is the limit; try again later`);
    if (this.#all >= MAX_STREAMS) throw limitReached('too many live streams are open on this server; try again later');
    const addToCounts = (by: 1 | -1) => {
      this.#all += by;
      addCount(this.#users, user_id, by);
      addCount(this.#orgs, org_id, by);
    };
    addToCounts(1);
    let reserved = true;
    return () => {
      if (reserved) addToCounts(-1);
      reserved = false;
    };
  }
}

function addCount(counts: Map<string, number>, id: string, by: 1 | -1): void {
  const now = (counts.get(id) ?? 0) + by;
  if (now > 0) counts.set(id, now);
  else counts.delete(id);
}

const limitReached = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
