import type { Writable } from 'node:stream';

/**
 * Combines frames that are sent close together into one write: requests of an agent's scripts, or answers to records of
 * one commit. Each write is a system call and wakes the other side.
 */
export class OneWrite {
  readonly #later: (flush: () => void) => void;
  #socket: Writable | undefined;
  #held = false;

  /** `later` schedules the flush of held frames. It must run soon and without further input. */
  constructor(later: (flush: () => void) => void) {
    this.#later = later;
  }

  /** The socket below the WebSocket. Until it is known, every frame is written by itself. */
  over(socket: Writable): void {
    this.#socket = socket;
  }

  /** Called before each frame. */
  hold(): void {
    const socket = this.#socket;
    if (this.#held || socket === undefined) return;
    this.#held = true;
    socket.cork();
    this.#later(() => {
      this.#held = false;
      socket.uncork();
    });
  }
}
