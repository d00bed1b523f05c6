import type { Clock } from './time.ts';

/** The pauses of one background task. Its stop ends the current pause at once. */
export class Pauses {
  readonly #clock: Pick<Clock, 'after'>;
  #stopped = false;
  #resume: () => void = () => {};

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
    this.#resume();
  }

  async wait(delay_ms: number): Promise<void> {
    if (this.#stopped) return;
    const { promise: resumed, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(delay_ms, resolve, { unref: true });
    this.#resume = resolve;
    await resumed;
    cancel();
  }
}
