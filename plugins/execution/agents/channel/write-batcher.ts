import type { Writable } from 'node:stream';

/**
 * Combines frames that are sent close together into one write, such as requests of an agent's scripts or responses
 * that belong to one commit. Each write is a system call and wakes the other side.
 */
export class WriteBatcher {
  readonly #schedule: (flush: () => void) => void;
  #socket: Writable | undefined;
  #corked = false;

  /** `later` schedules the flush of buffered frames. It must run soon and without further input. */
  constructor(schedule: (flush: () => void) => void) {
    this.#schedule = schedule;
  }

  /** Sets the socket below the WebSocket. Until then, every frame is written by itself. */
  bindSocket(socket: Writable): void {
    this.#socket = socket;
  }

  /** Called before each frame. */
  beforeWrite(): void {
    const socket = this.#socket;
    if (this.#corked || socket === undefined) return;
    this.#corked = true;
    socket.cork();
    this.#schedule(() => {
      this.#corked = false;
      socket.uncork();
    });
  }
}
