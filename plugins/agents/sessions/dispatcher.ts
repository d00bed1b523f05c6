import { type Cancel, type Clock, isServiceError, type Log, ServiceError } from '../../../kernel/contracts/index.ts';
import type { Claimed, JobEnvironmentLayers, JobEnvironments, RunStore, SlotUse } from '../../runs/contract.ts';
import { AgentErrors } from '../errors.ts';
import type { HeldSlots } from './held-slots.ts';
import type { Session } from './session.ts';

export interface DispatcherParts {
  store: RunStore;
  environments: JobEnvironments;
  clock: Clock;
  log: Log;
  lease_ms: number;
  slots: HeldSlots;
  sessions(): Iterable<Session>;
  /** Counts assignments that were handed over. */
  assigned(count: number): void;
}

/** Polling interval when no wake-up arrives. Polling alone is sufficient with several servers. */
const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const POLL_GROWTH = 1.5;
/** Claims in one transaction. More would give one agent work that several could share. */
const BATCH = 16;
/** Pause before a job whose environment is unavailable is tried again. */
const RETRY_ENVIRONMENT_MS = 1000;

/** What does not wait in a queue: no work at all, or no trusted work. */
type Dry = 'all' | 'trusted';

/** Claims work for sessions with free slots, on wake-ups and by polling. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #underWay = new Set<Promise<void>>();
  /** Claims that wait for a pause, with the function that ends the pause early. */
  readonly #keptBack = new Set<() => void>();
  /** When a session was last served, so that equal sessions alternate. */
  readonly #served = new WeakMap<Session, number>();
  #serving = 0;
  readonly #dry = new Map<string, Dry>();
  #cycle: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  #cancelPoll: Cancel | undefined;
  #poll_ms = POLL_MIN_MS;
  #failing: string | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Why polling last failed; undefined when it succeeded. */
  get failing(): string | undefined {
    return this.#failing;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** Called when there may be work. */
  wake(): void {
    this.#dry.clear();
    this.roomMade();
  }

  /** Called when there may be a free slot. */
  roomMade(): void {
    if (this.#stopped) return;
    this.#poll_ms = POLL_MIN_MS;
    this.#run();
  }

  /**
   * True when nothing waited for such a session at the last look, and nothing that waits was announced since. Until then
   * new work must not overtake what is older; but trusted work overtakes untrusted work.
   */
  isDry({ queue }: Session, { trusted }: { trusted: boolean }): boolean {
    const dry = this.#dry.get(queue);
    return !this.#stopped && (trusted ? dry !== undefined : dry === 'all');
  }

  /** Stops claiming. Releases claims that were not handed over yet. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelPoll?.();
    await this.#cycle;
    for (const cut of this.#keptBack) cut();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #run(): void {
    if (this.#cycle) {
      this.#again = true;
      return;
    }
    this.#cancelPoll?.();
    this.#cycle = this.#rounds().finally(() => {
      this.#cycle = undefined;
      this.#schedulePoll();
    });
  }

  #schedulePoll(): void {
    if (this.#stopped) return;
    // Without a free slot nothing can be claimed. A session that gets one calls this again.
    if (![...this.#parts.sessions()].some((session) => session.room > 0)) return;
    this.#cancelPoll = this.#parts.clock.after(this.#poll_ms, () => this.#run(), { unref: true });
    this.#poll_ms = Math.min(POLL_MAX_MS, this.#poll_ms * POLL_GROWTH);
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false;
      try {
        if ((await this.#round()) > 0) this.#poll_ms = POLL_MIN_MS;
        this.#recovered();
      } catch (error) {
        this.#failed(error);
        return;
      }
    } while (this.#again && !this.#stopped);
  }

  /**
   * Claims for every session with free slots, the least loaded first and in growing batches, so that little work is
   * spread and much work moves quickly. Sessions with equal capabilities share one queue: when it is empty for one, it
   * is empty for all. One that has no room for untrusted work tells only that no trusted work waits.
   */
  async #round(): Promise<number> {
    const dry = new Map<string, Dry>();
    const idle = ({ queue, untrusted_room }: Session): boolean =>
      dry.get(queue) === 'all' || (dry.get(queue) === 'trusted' && untrusted_room === 0);
    let found = 0;
    for (let portion = 1; !this.#stopped; portion = Math.min(BATCH, portion * 2)) {
      const turn = [...this.#parts.sessions()]
        .filter((session) => session.room > 0 && !idle(session))
        .sort((a, b) => a.load - b.load || this.#lastServed(a) - this.#lastServed(b));
      if (turn.length === 0) break;
      for (const session of turn) {
        const limit = Math.min(session.room, turn.length === 1 ? BATCH : portion);
        if (limit === 0 || idle(session) || this.#stopped) continue;
        const { claimed, left } = await this.#claim(session, limit);
        if (left) dry.set(session.queue, left);
        // Work that was announced during the look may have been missed; another round follows.
        if (left && !this.#again) this.#dry.set(session.queue, left);
        else this.#dry.delete(session.queue);
        found += claimed;
      }
    }
    return found;
  }

  /** Answers how many were claimed, and what waits no more. */
  async #claim(session: Session, limit: number): Promise<{ claimed: number; left: Dry | undefined }> {
    const { store, lease_ms, slots } = this.#parts;
    const agent_id = session.agent_id!;
    const { capabilities, executors } = session;
    const { isolated_only, identity } = session;
    const { org_id, project_id } = identity;
    const untrusted_room = Math.min(limit, session.untrusted_room);
    const by = { agent_id, org_id, project_id, capabilities, executors, isolated_only, untrusted_room, slots };
    session.reserve(limit, untrusted_room);
    let claimed: Claimed[] = [];
    let untrusted = 0;
    try {
      claimed = await store.claim(by, limit, lease_ms);
      untrusted = claimed.filter(({ trusted }) => !trusted).length;
    } finally {
      session.unreserve(limit - claimed.length, untrusted_room - untrusted);
    }
    if (claimed.length > 0) this.#served.set(session, (this.#serving += 1));
    for (const one of claimed) this.#track(this.#handOver(session, one));
    const full = untrusted_room < limit && untrusted >= untrusted_room;
    const left = claimed.length === limit ? undefined : full ? 'trusted' : 'all';
    return { claimed: claimed.length, left };
  }

  /** Hands over what was claimed when it came into being. A place may be missing now: the agent then gives it back. */
  handOverInstant(session: Session, load: () => Promise<Claimed | undefined>, taken: SlotUse): void {
    const { slots } = this.#parts;
    const untrusted = taken.trusted ? 0 : 1;
    slots.hold(taken);
    session.reserve(1, untrusted);
    this.#track(
      (async () => {
        let claimed: Claimed | undefined;
        try {
          claimed = await load();
        } catch (error) {
          this.#parts.log.warn({ reason: String(error) }, 'reading a claim failed; it will expire');
        }
        if (claimed) return this.#handOver(session, claimed);
        session.unreserve(1, untrusted);
        slots.free(taken.activity_id);
      })(),
    );
  }

  #lastServed(session: Session): number {
    return this.#served.get(session) ?? 0;
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #handOver(session: Session, claimed: Claimed): Promise<void> {
    let environment: JobEnvironmentLayers;
    try {
      environment = await this.#parts.environments.environment(claimed);
    } catch (error) {
      session.unreserve(1, claimed.trusted ? 0 : 1);
      await this.#giveUp(claimed, error);
      return this.#parts.slots.free(claimed.activity_id);
    }
    try {
      if (this.#stopped) throw AgentErrors.channelClosed('the server is stopping');
      session.assign({ ...claimed, lease_ms: this.#parts.lease_ms, environment });
      this.#parts.assigned(1);
    } catch (error) {
      session.unreserve(1, claimed.trusted ? 0 : 1);
      this.#parts.log.info(
        { activity_id: claimed.activity_id, reason: String(error) },
        'handing work to an agent failed',
      );
      await this.#release(claimed);
      this.#parts.slots.free(claimed.activity_id);
    }
  }

  /** A refusal ends the job. Any other error may pass, so the job is released. */
  async #giveUp(claimed: Claimed, error: unknown): Promise<void> {
    const claim = { activity_id: claimed.activity_id, epoch: claimed.epoch };
    this.#parts.log.warn(
      { ...claim, run_id: claimed.run_id, reason: String(error) },
      'the environment of a job is not available',
    );
    if (error instanceof ServiceError && error.status < 500 && error.status !== 429) {
      const completion = { status: 'failed' as const, code: error.code, message: error.message, final: true };
      await this.#parts.store.complete(claim, completion).catch((fault) => this.#unsettled(claimed, fault));
      return;
    }
    await this.#wait(RETRY_ENVIRONMENT_MS);
    await this.#release(claimed);
  }

  #wait(delay_ms: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#keptBack.delete(done);
        resolve();
      };
      const cancel = this.#parts.clock.after(delay_ms, done, { unref: true });
      this.#keptBack.add(done);
    });
  }

  async #release({ activity_id, epoch }: Claimed): Promise<void> {
    await this.#parts.store
      .release({ activity_id, epoch })
      .catch((error) => this.#unsettled({ activity_id, epoch }, error));
  }

  /** Nothing to do here: the claim expires and the sweeper releases it. */
  #unsettled(claim: { activity_id: string; epoch: number }, error: unknown): void {
    if (isServiceError(error, 'lease_lost')) return;
    const { activity_id, epoch } = claim;
    this.#parts.log.warn({ activity_id, epoch, reason: String(error) }, 'releasing a claim failed; it will expire');
  }

  #failed(error: unknown): void {
    const reason = (error as Error).message;
    if (this.#failing === undefined) this.#parts.log.error({ reason }, 'polling for work failed; retrying');
    this.#failing = reason;
    this.#poll_ms = POLL_MAX_MS;
  }

  #recovered(): void {
    if (this.#failing !== undefined) this.#parts.log.info({}, 'polling for work succeeds again');
    this.#failing = undefined;
  }
}
