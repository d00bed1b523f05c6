import type { Clock } from '../../../kernel/contracts/index.ts';
import { sizeText } from './sizes.ts';

/** How the command tells people what goes on. */
export interface Teller {
  /** The last line of a terminal, written anew. */
  status(text: string): void;
  /** A line that stays. */
  note(text: string): void;
  /** Is there a terminal? */
  live: boolean;
}

const EVERY_MS = 10_000;

/** Counts what passes; on a terminal always, elsewhere a line every ten seconds. */
export class Progress {
  readonly #clock: Clock;
  readonly #teller: Teller;
  #told_at: number;
  #rows = 0;
  #bytes = 0;

  constructor(clock: Clock, teller: Teller) {
    this.#clock = clock;
    this.#teller = teller;
    this.#told_at = clock.monotonic();
  }

  add(where: string, { rows = 0, bytes = 0 }: { rows?: number; bytes?: number }): void {
    this.#rows += rows;
    this.#bytes += bytes;
    const text = `${where}: ${this.#rows} rows, ${sizeText(this.#bytes)} so far`;
    if (this.#teller.live) this.#teller.status(text);
    else if (this.#clock.monotonic() - this.#told_at >= EVERY_MS) {
      this.#told_at = this.#clock.monotonic();
      this.#teller.note(text);
    }
  }

  end(): void {
    this.#teller.status('');
  }
}
