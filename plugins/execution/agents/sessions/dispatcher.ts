import { type Cancel, type Clock, isServiceError, type Log, ServiceError } from '../../../../kernel/contracts/index.ts';
import type {
  Claimed,
  JobEnvironmentLayers,
  JobEnvironments,
  RunStore,
  SlotUse,
} from '../../../engine/runs/contract.ts';
import { AgentErrors } from '../errors.ts';
import type { SlotTracker } from './slot-tracker.ts';
import type { Session } from './session.ts';

export interface DispatcherDeps {
  store: RunStore;
  environments: JobEnvironments;
  clock: Clock;
  log: Log;
  lease_ms: number;
  slots: SlotTracker;
  sessions(): Iterable<Session>;
  /** Counts assignments that were handed to agents. */
  onAssigned(count: number): void;
}

/** Polling interval without wakeups. Polling alone suffices with several servers. */
const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const POLL_GROWTH = 1.5;
/** Maximum claims in one transaction. More would give one agent work that several could share. */
const BATCH = 16;
/** Pause before a job whose environment is unavailable is retried. */
const RETRY_ENVIRONMENT_MS = 1000;

/** What is known not to be waiting in a queue: any work, or any trusted work. */
type EmptyScope = 'all' | 'trusted';

/** Claims work for sessions with free slots, on wakeups and by polling. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #in_flight = new Set<Promise<void>>();
  /** Functions that end the pauses of claims early. */
  readonly #pauses = new Set<() => void>();
  /** When a session was last served, so that equal sessions alternate. */
  readonly #served_at = new WeakMap<Session, number>();
  #serve_count = 0;
  readonly #empty_queues = new Map<string, EmptyScope>();
  #cycle: Promise<void> | undefined;
  #rerun = false;
  #stopped = true;
  #cancelPoll: Cancel | undefined;
  #poll_ms = POLL_MIN_MS;
  #failing: string | undefined;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
  }

  /** Why polling last failed, or undefined if it succeeded. */
  get failing(): string | undefined {
    return this.#failing;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** Called when there may be work. */
  wake(): void {
    this.#empty_queues.clear();
    this.slotFreed();
  }

  /** Called when there may be a free slot. */
  slotFreed(): void {
    if (this.#stopped) return;
    this.#poll_ms = POLL_MIN_MS;
    this.#run();
  }

  /**
   * True when the last poll found nothing waiting for such a session and nothing was announced since. Otherwise new
   * work must not overtake older work; but trusted work overtakes untrusted work.
   */
  isEmptyFor({ queue }: Session, { trusted }: { trusted: boolean }): boolean {
    const empty = this.#empty_queues.get(queue);
    return !this.#stopped && (trusted ? empty !== undefined : empty === 'all');
  }

  /** Stops claiming. Releases claims that have not reached an agent yet. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPoll?.();
    await this.#cycle;
    for (const endPause of this.#pauses) endPause();
    while (this.#in_flight.size > 0) await Promise.all(this.#in_flight);
  }

  #run(): void {
    if (this.#cycle) {
      this.#rerun = true;
      return;
    }
    this.#cancelPoll?.();
    this.#cycle = this.#poll().finally(() => {
      this.#cycle = undefined;
      this.#schedulePoll();
    });
  }

  #schedulePoll(): void {
    if (this.#stopped) return;
    // Without a free slot nothing can be claimed; a session that gets one calls this again.
    if (![...this.#deps.sessions()].some((session) => session.free_slots > 0)) return;
    this.#cancelPoll = this.#deps.clock.after(this.#poll_ms, () => this.#run(), { unref: true });
    this.#poll_ms = Math.min(POLL_MAX_MS, this.#poll_ms * POLL_GROWTH);
  }

  async #poll(): Promise<void> {
    do {
      this.#rerun = false;
      try {
        if ((await this.#claimRound()) > 0) this.#poll_ms = POLL_MIN_MS;
        this.#onSuccess();
      } catch (error) {
        this.#onFailure(error);
        return;
      }
    } while (this.#rerun && !this.#stopped);
  }

  /**
   * Claims for every session with free slots, the least loaded first and in growing batches, so that little work is
   * spread and much work moves quickly. Sessions with equal capabilities share a queue: if it is empty for one, it is
   * empty for all. A session without slots for untrusted work only shows that no trusted work waits.
   */
  async #claimRound(): Promise<number> {
    const empty = new Map<string, EmptyScope>();
    const hasNothing = ({ queue, free_untrusted_slots }: Session): boolean =>
      empty.get(queue) === 'all' || (empty.get(queue) === 'trusted' && free_untrusted_slots === 0);
    let claimed_total = 0;
    for (let batch_size = 1; !this.#stopped; batch_size = Math.min(BATCH, batch_size * 2)) {
      const candidates = [...this.#deps.sessions()]
        .filter((session) => session.free_slots > 0 && !hasNothing(session))
        .sort((a, b) => a.load - b.load || this.#lastServedAt(a) - this.#lastServedAt(b));
      if (candidates.length === 0) break;
      for (const session of candidates) {
        const limit = Math.min(session.free_slots, candidates.length === 1 ? BATCH : batch_size);
        if (limit === 0 || hasNothing(session) || this.#stopped) continue;
        const { claimed, empty_scope } = await this.#claim(session, limit);
        if (empty_scope) empty.set(session.queue, empty_scope);
        // Work that was announced during the poll may have been missed, and another round follows.
        if (empty_scope && !this.#rerun) this.#empty_queues.set(session.queue, empty_scope);
        else this.#empty_queues.delete(session.queue);
        claimed_total += claimed;
      }
    }
    return claimed_total;
  }

  /** Returns how many activities were claimed, and what no longer waits. */
  async #claim(session: Session, limit: number): Promise<{ claimed: number; empty_scope: EmptyScope | undefined }> {
    const { store, lease_ms } = this.#deps;
    const agent_id = session.agent_id!;
    const { capabilities, executors, isolated_only } = session;
    const { org_id, project_id } = session.identity;
    const untrusted_slots = Math.min(limit, session.free_untrusted_slots);
    const claimer = {
      agent_id,
      org_id,
      project_id,
      capabilities,
      executors,
      isolated_only,
      untrusted_room: untrusted_slots,
      slots: session.slot_bounds,
    };
    session.reserve(limit, untrusted_slots);
    let claimed: Claimed[] = [];
    let untrusted = 0;
    try {
      claimed = await store.claim(claimer, limit, lease_ms);
      untrusted = claimed.filter(({ trusted }) => !trusted).length;
    } finally {
      session.unreserve(limit - claimed.length, untrusted_slots - untrusted);
    }
    if (claimed.length > 0) this.#served_at.set(session, (this.#serve_count += 1));
    for (const activity of claimed) this.#track(this.#deliver(session, activity));
    const full = untrusted_slots < limit && untrusted >= untrusted_slots;
    const empty_scope = claimed.length === limit ? undefined : full ? 'trusted' : 'all';
    return { claimed: claimed.length, empty_scope };
  }

  /**
   * Delivers an activity that was claimed in the transaction that created it. The slot may be taken by now; the agent
   * then releases the activity.
   */
  deliverEager(session: Session, load: () => Promise<Claimed | undefined>, slot_use: SlotUse): void {
    const { slots } = this.#deps;
    const untrusted = slot_use.trusted ? 0 : 1;
    slots.hold(slot_use);
    session.reserve(1, untrusted);
    this.#track(
      (async () => {
        let claimed: Claimed | undefined;
        try {
          claimed = await load();
        } catch (error) {
          this.#deps.log.warn({ reason: String(error) }, 'reading a claim failed; it will expire');
        }
        if (claimed) return this.#deliver(session, claimed);
        session.unreserve(1, untrusted);
        slots.free(slot_use.activity_id);
      })(),
    );
  }

  #lastServedAt(session: Session): number {
    return this.#served_at.get(session) ?? 0;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#in_flight.delete(tracked));
    this.#in_flight.add(tracked);
  }

  async #deliver(session: Session, claimed: Claimed): Promise<void> {
    let environment: JobEnvironmentLayers;
    try {
      environment = await this.#deps.environments.environment(claimed);
    } catch (error) {
      session.unreserve(1, claimed.trusted ? 0 : 1);
      await this.#failOrRelease(claimed, error);
      return this.#deps.slots.free(claimed.activity_id);
    }
    try {
      if (this.#stopped) throw AgentErrors.channelClosed('the server is stopping');
      session.assign({ ...claimed, lease_ms: this.#deps.lease_ms, environment });
      this.#deps.onAssigned(1);
    } catch (error) {
      session.unreserve(1, claimed.trusted ? 0 : 1);
      this.#deps.log.info(
        { activity_id: claimed.activity_id, reason: String(error) },
        'sending work to an agent failed',
      );
      await this.#release(claimed);
      this.#deps.slots.free(claimed.activity_id);
    }
  }

  /** A rejection ends the job. Any other error may be temporary, so the job is released. */
  async #failOrRelease(claimed: Claimed, error: unknown): Promise<void> {
    const claim = { activity_id: claimed.activity_id, epoch: claimed.epoch };
    this.#deps.log.warn(
      { ...claim, run_id: claimed.run_id, reason: String(error) },
      'the environment of a job is not available',
    );
    if (error instanceof ServiceError && error.status < 500 && error.status !== 429) {
      const completion = { status: 'failed' as const, code: error.code, message: error.message, final: true };
      await this.#deps.store.complete(claim, completion).catch((fault) => this.#logUnreleased(claimed, fault));
      return;
    }
    await this.#pause(RETRY_ENVIRONMENT_MS);
    await this.#release(claimed);
  }

  #pause(delay_ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const resume = () => {
        cancel();
        this.#pauses.delete(resume);
        resolve();
      };
      const cancel = this.#deps.clock.after(delay_ms, resume, { unref: true });
      this.#pauses.add(resume);
    });
  }

  async #release({ activity_id, epoch }: Claimed): Promise<void> {
    await this.#deps.store
      .release({ activity_id, epoch })
      .catch((error) => this.#logUnreleased({ activity_id, epoch }, error));
  }

  /** There is nothing to do: the claim expires and the sweeper releases it. */
  #logUnreleased(claim: { activity_id: string; epoch: number }, error: unknown): void {
    if (isServiceError(error, 'lease_lost')) return;
    const { activity_id, epoch } = claim;
    this.#deps.log.warn({ activity_id, epoch, reason: String(error) }, 'releasing a claim failed; it will expire');
  }

  #onFailure(error: unknown): void {
    const reason = (error as Error).message;
    if (this.#failing === undefined) this.#deps.log.error({ reason }, 'polling for work failed; retrying');
    this.#failing = reason;
    this.#poll_ms = POLL_MAX_MS;
  }

  #onSuccess(): void {
    if (this.#failing !== undefined) this.#deps.log.info({}, 'polling for work succeeds again');
    this.#failing = undefined;
  }
}
