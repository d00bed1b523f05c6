import type { Writable } from 'node:stream';

/**
 * Lets frames that are sent close together leave in one write: what an agent's scripts ask for at once, and the answers
 * to records that were committed together. Each write is a call of the system and wakes the other side.
 */
export class OneWrite {
  readonly #later: (flush: () => void) => void;
  #socket: Writable | undefined;
  #held = false;

  /** `later` says when what is held must leave; it has to come by itself, and soon. */
  constructor(later: (flush: () => void) => void) {
    this.#later = later;
  }

  /** The socket below the WebSocket; until it is known every frame is written by itself. */
  over(socket: Writable): void {
    this.#socket = socket;
  }

  /** Called ahead of each frame. */
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
