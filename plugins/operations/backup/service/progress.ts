import type { Clock } from '../../../../kernel/contracts/index.ts';
import { sizeText } from './sizes.ts';

/** How the command reports its progress. */
export interface ProgressReporter {
  /** Replaces the last line of a terminal. */
  status(text: string): void;
  /** Prints a line that stays. */
  note(text: string): void;
  /** True when the output is a terminal. */
  live: boolean;
}

const EVERY_MS = 10_000;

/** Counts what passes; on a terminal always, elsewhere a line every ten seconds. */
export class Progress {
  readonly #clock: Clock;
  readonly #reporter: ProgressReporter;
  #reported_at: number;
  #rows = 0;
  #bytes = 0;

  constructor(clock: Clock, reporter: ProgressReporter) {
    this.#clock = clock;
    this.#reporter = reporter;
    this.#reported_at = clock.monotonic();
  }

  add(label: string, { rows = 0, bytes = 0 }: { rows?: number; bytes?: number }): void {
    this.#rows += rows;
    this.#bytes += bytes;
    const text = `${label}: ${this.#rows} rows, ${sizeText(this.#bytes)} so far`;
    if (this.#reporter.live) this.#reporter.status(text);
    else if (this.#clock.monotonic() - this.#reported_at >= EVERY_MS) {
      this.#reported_at = this.#clock.monotonic();
      this.#reporter.note(text);
    }
  }

  end(): void {
    this.#reporter.status('');
  }
}
