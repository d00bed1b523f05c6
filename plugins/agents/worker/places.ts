import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';
import type { AgentLink } from '../contract.ts';

/** So long a server does not hear of a place that it does not need yet. */
const LATER_MS = 25;

export interface PlacesParts {
  clock: Clock;
  link: AgentLink;
  /** Places in which nothing runs; none when no more work is wanted. */
  free(): number;
  unanswered(error: unknown): void;
}

/**
 * Tells the server how many assignments this agent takes. A place that becomes free is told at once where the server counts
 * on less than half of what is free, otherwise a moment later, with others: each message costs both sides a wake-up, and
 * runs that follow each other need none.
 */
export class Places {
  readonly #parts: PlacesParts;
  /** Assignments received on this connection. */
  #seen = 0;
  /** Assignments of this connection that the server was told it may send. */
  #told = 0;
  #cancel: Cancel | undefined;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  /** A new connection knows nothing. */
  connected(): void {
    this.#seen = 0;
    this.#told = 0;
  }

  came(count: number): void {
    this.#seen += count;
  }

  freed(): void {
    const counted_on = this.#told - this.#seen;
    if (counted_on * 2 < this.#parts.free()) this.tell();
    else
      this.#cancel ??= this.#parts.clock.after(LATER_MS, () => {
        this.#cancel = undefined;
        this.tell();
      });
  }

  tell(): void {
    this.close();
    const free = this.#parts.free();
    this.#told = this.#seen + free;
    this.#parts.link.request('ready', { free, seen: this.#seen }).catch((error) => this.#parts.unanswered(error));
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
