import { type Cancel, type Clock, isServiceError, type Log, ServiceError } from '../../../kernel/contracts/index.ts';
import type { Claimed, JobEnvironmentLayers, JobEnvironments, RunStore } from '../../runs/contract.ts';
import { AgentErrors } from '../errors.ts';
import type { Session } from './session.ts';

export interface DispatcherParts {
  store: RunStore;
  environments: JobEnvironments;
  clock: Clock;
  log: Log;
  lease_ms: number;
  sessions(): Iterable<Session>;
  /** Counts assignments handed over. */
  assigned(count: number): void;
}

/** The floor that alone is correct with several servers: asks this often while nothing is heard. */
const POLL_MIN_MS = 200;
const POLL_MAX_MS = 1000;
const POLL_GROWTH = 1.5;
/** Claims a transaction; more makes one agent take what several could share. */
const BATCH = 16;
/** A job whose environment cannot be had just now is tried again after this long. */
const RETRY_ENVIRONMENT_MS = 1000;

/** Claims work for sessions with free slots: when told that there is some, and by polling. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #underWay = new Set<Promise<void>>();
  /** Claims kept back for a while, by what cuts the wait short. */
  readonly #keptBack = new Set<() => void>();
  /** When a session was last served, so that equals take turns. */
  readonly #served = new WeakMap<Session, number>();
  #serving = 0;
  #cycle: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  #cancelPoll: Cancel | undefined;
  #poll_ms = POLL_MIN_MS;
  #failing: string | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /** Why the last look for work failed; undefined when it did not. */
  get failing(): string | undefined {
    return this.#failing;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  /** There may be work, or room for it. */
  wake(): void {
    if (this.#stopped) return;
    this.#poll_ms = POLL_MIN_MS;
    this.#run();
  }

  /** Claims nothing more; what is claimed and not yet handed over is given back. */
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
    // Without room nothing can be claimed, and the session that gets room wakes us.
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
   * Asks for every session with room, least loaded first and in growing portions, so that a little work spreads and
   * much work moves in batches. Sessions that can do the same see the same queue: once short for one, dry for all.
   */
  async #round(): Promise<number> {
    const dry = new Set<string>();
    let found = 0;
    for (let portion = 1; !this.#stopped; portion = Math.min(BATCH, portion * 2)) {
      const turn = [...this.#parts.sessions()]
        .filter((session) => session.room > 0 && !dry.has(session.queue))
        .sort((a, b) => a.load - b.load || this.#lastServed(a) - this.#lastServed(b));
      if (turn.length === 0) break;
      for (const session of turn) {
        const limit = Math.min(session.room, turn.length === 1 ? BATCH : portion);
        if (limit === 0 || dry.has(session.queue) || this.#stopped) continue;
        const claimed = await this.#claim(session, limit);
        if (claimed < limit) dry.add(session.queue);
        found += claimed;
      }
    }
    return found;
  }

  async #claim(session: Session, limit: number): Promise<number> {
    const { store, lease_ms } = this.#parts;
    const agent_id = session.agent_id!;
    const by = { agent_id, org_id: session.identity.org_id, capabilities: session.capabilities };
    for (let n = 0; n < limit; n += 1) session.reserve();
    let claimed: Claimed[] = [];
    try {
      claimed = await store.claim(by, limit, lease_ms);
    } finally {
      for (let n = claimed.length; n < limit; n += 1) session.unreserve();
    }
    if (claimed.length > 0) this.#served.set(session, (this.#serving += 1));
    for (const one of claimed) this.#track(this.#handOver(session, one));
    return claimed.length;
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
      session.unreserve();
      return this.#giveUp(claimed, error);
    }
    try {
      if (this.#stopped) throw AgentErrors.channelClosed('the server stops');
      session.assign({ ...claimed, lease_ms: this.#parts.lease_ms, environment });
      this.#parts.assigned(1);
    } catch (error) {
      session.unreserve();
      this.#parts.log.info(
        { activity_id: claimed.activity_id, reason: String(error) },
        'work could not be handed over',
      );
      await this.#release(claimed);
    }
  }

  /** A refusal of the job is its end; anything else may pass, and the job goes back to the queue. */
  async #giveUp(claimed: Claimed, error: unknown): Promise<void> {
    const claim = { activity_id: claimed.activity_id, epoch: claimed.epoch };
    this.#parts.log.warn({ ...claim, run_id: claimed.run_id, reason: String(error) }, 'a job has no environment');
    if (error instanceof ServiceError && error.status < 500 && error.status !== 429) {
      const completion = { status: 'failed' as const, code: error.code, message: error.message };
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

  /** Not an error of ours to mend: the claim runs out and the sweeper takes it back. */
  #unsettled(claim: { activity_id: string; epoch: number }, error: unknown): void {
    if (isServiceError(error, 'lease_lost')) return;
    const { activity_id, epoch } = claim;
    this.#parts.log.warn(
      { activity_id, epoch, reason: String(error) },
      'a claim could not be given back; it will expire',
    );
  }

  #failed(error: unknown): void {
    const reason = (error as Error).message;
    if (this.#failing === undefined) this.#parts.log.error({ reason }, 'cannot look for work; trying on');
    this.#failing = reason;
    this.#poll_ms = POLL_MAX_MS;
  }

  #recovered(): void {
    if (this.#failing !== undefined) this.#parts.log.info({}, 'looking for work again');
    this.#failing = undefined;
  }
}
