import { Errors } from '../../../../kernel/contracts/index.ts';

const RETRY_MS = 1000;

interface WaitLimits {
  /** What they wait for, as in `too many requests are waiting for runs`. */
  what: string;
  /** Requests of all callers, for one project, and of one user. Each holds a socket. */
  max: number;
  max_in_project: number;
  max_of_a_user?: number;
}

/** Counts requests that wait at a time, and rejects those beyond the limits. */
export class WaitingRequests {
  readonly #limits: WaitLimits;
  readonly #projects = new Map<string, number>();
  readonly #users = new Map<string, number>();
  #waiting = 0;

  constructor(limits: WaitLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#waiting;
  }

  /** Work that may wait. Throws `rate_limited` before it when too many requests wait already. */
  async holding<T>(
    { project_id, user_id }: { project_id: string; user_id?: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const { what, max, max_in_project, max_of_a_user = max } = this.#limits;
    const own = user_id === undefined ? 0 : (this.#users.get(user_id) ?? 0);
    if (own >= max_of_a_user)
      throw refused(
        `${own} of your requests are waiting for ${what}, which is the limit; omit wait, or try again later`,
      );
    if (this.#waiting >= max || (this.#projects.get(project_id) ?? 0) >= max_in_project)
      throw refused(`too many requests are waiting for ${what}; omit wait, or try again later`);
    const change = (by: 1 | -1) => {
      this.#waiting += by;
      count(this.#projects, project_id, by);
      if (user_id !== undefined) count(this.#users, user_id, by);
    };
    change(1);
    try {
      return await work();
    } finally {
      change(-1);
    }
  }
}

function count(held: Map<string, number>, id: string, by: 1 | -1): void {
  const now = (held.get(id) ?? 0) + by;
  if (now > 0) held.set(id, now);
  else held.delete(id);
}

const refused = (detail: string) => Errors.rateLimited(detail, { retryAfterMs: RETRY_MS });
