import {
  type Clock,
  type Database,
  type DueTime,
  type Log,
  type IterationResult,
  WorkLoop,
} from '../../../../kernel/contracts/index.ts';
import type { RunStore, Wakeups } from '../contract.ts';

type Swept = PromiseSettledResult<{ next: number | null }>;

/** Waits or claims in one transaction of a sweep. */
const BATCH = 100;

/** Idle lanes are looked for so often. */
const LANES_MS = 60_000;

export interface SweeperDeps {
  store: Pick<RunStore, 'resolveDue' | 'endOverdue' | 'expireClaims' | 'removeIdleLanes'>;
  wakeups: Pick<Wakeups, 'onTimer'>;
  database: Pick<Database, 'now'>;
  clock: Clock;
  log: Log;
  lease_ms: number;
}

/**
 * Expires waits whose deadline has passed, ends runs whose time is over, releases claims that were not renewed and removes lanes
 * that nobody uses. Polling between 0.2 and 1 s makes
 * it correct with any number of servers; known deadlines only make it punctual.
 */
export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #loop: WorkLoop;
  /** When claims are checked next, by the monotonic clock. */
  #expiry_at = 0;
  /** When idle lanes are looked for next, by the monotonic clock. */
  #lanes_at = 0;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
    this.#loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      poll: { min_ms: 200, max_ms: 1000 },
      messages: { failing: 'the sweeper failed; retrying', recovered: 'the sweeper works again' },
      iterate: () => this.#sweep(),
    });
  }

  /** Sweeps until the returned function is called; that resolves when the last sweep is over. */
  start(): () => Promise<void> {
    const { wakeups, database } = this.#deps;
    const off = wakeups.onTimer((deadline) => this.#loop.wake(Math.max(0, deadline - database.now())));
    const stop = this.#loop.start();
    return () => {
      off();
      return stop();
    };
  }

  async #sweep(): Promise<IterationResult> {
    // Each works even if the other fails: a broken wait must not keep lost claims from being found.
    const { store } = this.#deps;
    const [due, overdue, expired, idle] = await Promise.allSettled([
      store.resolveDue(BATCH),
      store.endOverdue(BATCH),
      this.#expire(),
      this.#removeIdleLanes(),
    ]);
    const failed = [due, overdue, expired, idle].find((outcome) => outcome.status === 'rejected');
    const resolved = due.status === 'fulfilled' ? due.value.resolved : 0;
    const taken_back = expired.status === 'fulfilled' ? expired.value : 0;
    const ended = overdue.status === 'fulfilled' ? overdue.value.ended : 0;
    const waits_ms = due.status === 'fulfilled' ? this.#dueIn(resolved, due.value.next) : undefined;
    const runs_ms = overdue.status === 'fulfilled' ? this.#dueIn(ended, overdue.value.next) : undefined;
    const due_ms =
      waits_ms === undefined || runs_ms === undefined ? (waits_ms ?? runs_ms) : Math.min(waits_ms, runs_ms);
    return {
      processed: resolved + ended + taken_back,
      hasMore: [resolved, ended, taken_back].some((count) => count >= BATCH),
      due_ms,
      next: earliest(due, overdue),
      ...(failed ? { failure: failed.reason } : {}),
    };
  }

  /** A deadline that passed without being resolved belongs to another server, or is stuck: it is left to polling. */
  #dueIn(resolved: number, next: number | null): number | undefined {
    if (next === null) return undefined;
    const left = next - this.#deps.database.now();
    return resolved === 0 && left <= 0 ? undefined : Math.max(0, left);
  }

  async #expire(): Promise<number> {
    const { clock, store, lease_ms } = this.#deps;
    const now = clock.monotonic();
    if (now < this.#expiry_at) return 0;
    const expired = await store.expireClaims(BATCH);
    this.#expiry_at = expired >= BATCH ? now : now + lease_ms / 4;
    return expired;
  }

  /** Nobody waits for it, so it never makes the next round come sooner. */
  async #removeIdleLanes(): Promise<void> {
    const { clock, store } = this.#deps;
    const now = clock.monotonic();
    if (now < this.#lanes_at) return;
    this.#lanes_at = now + LANES_MS;
    if ((await store.removeIdleLanes(BATCH)) >= BATCH) this.#lanes_at = now;
  }
}

/** The stored time that comes first. */
function earliest(...swept: readonly Swept[]): DueTime | undefined {
  const times = swept.flatMap((one) => (one.status === 'fulfilled' && one.value.next !== null ? [one.value.next] : []));
  return times.length === 0 ? undefined : { at: Math.min(...times) };
}
