import type { Cancel, Clock } from '../../../../kernel/contracts/index.ts';
import type { AgentLink } from '../contract.ts';

/** How long the server may not know of a free slot that it does not need yet. */
const ANNOUNCE_DELAY_MS = 25;

export interface SlotAnnouncerDeps {
  clock: Clock;
  link: AgentLink;
  /** Number of slots in which nothing runs; 0 when no more work is wanted. */
  freeSlots(): number;
  onUnanswered(error: unknown): void;
}

/**
 * Tells the server how many assignments this agent accepts. A freed slot is announced at once if the server knows of
 * less than half of the free slots, otherwise a moment later together with others. Each message wakes both sides, and
 * runs that follow each other need none.
 */
export class SlotAnnouncer {
  readonly #deps: SlotAnnouncerDeps;
  /** Assignments received on this connection. */
  #received = 0;
  /** Assignments that the server may send on this connection. */
  #announced = 0;
  #cancel: Cancel | undefined;

  constructor(deps: SlotAnnouncerDeps) {
    this.#deps = deps;
  }

  /** A new connection knows nothing yet. */
  reset(): void {
    this.#received = 0;
    this.#announced = 0;
  }

  received(count: number): void {
    this.#received += count;
  }

  slotFreed(): void {
    const known_free = this.#announced - this.#received;
    if (known_free * 2 < this.#deps.freeSlots()) this.announce();
    else
      this.#cancel ??= this.#deps.clock.after(ANNOUNCE_DELAY_MS, () => {
        this.#cancel = undefined;
        this.announce();
      });
  }

  announce(): void {
    this.close();
    const free = this.#deps.freeSlots();
    this.#announced = this.#received + free;
    this.#deps.link.request('ready', { free, seen: this.#received }).catch((error) => this.#deps.onUnanswered(error));
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
