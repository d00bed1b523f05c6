import { callerKey, shareKey } from './callers.ts';
import type { RequestContext } from './request-context.ts';

/** An org that has less than one in this many of all requests in flight never loses one to make room for others. */
const MIN_SHARE_DIVISOR = 16;

interface Caller {
  share: string;
  /** Oldest first. */
  contexts: Set<RequestContext>;
}

/** The requests in flight whose callers are authenticated. */
export class AuthenticatedRequests {
  readonly #callers = new Map<string, Caller>();
  readonly #keys = new Map<RequestContext, string>();

  add(context: RequestContext): void {
    const share = shareKey(context);
    const key = `${share} ${callerKey(context)}`;
    const caller = this.#callers.get(key) ?? { share, contexts: new Set() };
    this.#callers.set(key, caller);
    caller.contexts.add(context);
    this.#keys.set(context, key);
  }

  delete(context: RequestContext): void {
    const key = this.#keys.get(context);
    const caller = key === undefined ? undefined : this.#callers.get(key);
    if (!caller) return;
    this.#keys.delete(context);
    caller.contexts.delete(context);
    if (caller.contexts.size === 0) this.#callers.delete(key!);
  }

  /**
   * Returns the oldest request of the busiest caller in the busiest org; undefined when no org has a large share of all requests.
   * New requests count too, so that many of them cannot hide behind a few old ones of others.
   */
  oldestOfBusiest(): RequestContext | undefined {
    const shares = Map.groupBy(this.#callers.values(), ({ share }) => share);
    const [most] = [...shares.values()]
      .map((callers) => ({ callers, count: callers.reduce((sum, { contexts }) => sum + contexts.size, 0) }))
      .sort((a, b) => b.count - a.count);
    if (!most || most.count * MIN_SHARE_DIVISOR <= this.#keys.size || most.count === 1) return undefined;
    const heaviest = most.callers.reduce((a, b) => (b.contexts.size > a.contexts.size ? b : a));
    const [oldest] = heaviest.contexts;
    return oldest;
  }
}
