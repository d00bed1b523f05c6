import type { ChannelFrame, ChannelPush } from '../contract.ts';
import { toFrames, isShort, estimateChars } from './frames.ts';

/** Queues the pushes of one connection in order. A long push is compressed part by part while later ones wait. */
export class PushQueue {
  readonly #send: (frame: ChannelFrame) => void;
  #queue: ChannelPush[] = [];
  #pending_chars = 0;
  #pumping: Promise<void> | undefined;
  #closed = false;

  constructor(send: (frame: ChannelFrame) => void) {
    this.#send = send;
  }

  /** Approximate number of unsent characters. */
  get pending_chars(): number {
    return this.#pending_chars;
  }

  add(push: ChannelPush): void {
    if (this.#pumping === undefined && (push.push !== 'assign' || isShort(push))) return this.#send(push);
    this.#queue.push(push);
    this.#pending_chars += estimateChars(push);
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
    });
  }

  /** Drops the queue; the agent repeats its requests after it reconnects. */
  close(): void {
    this.#closed = true;
    this.#queue = [];
  }

  /** Resolves when no compression is running. */
  async whenIdle(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    for (let push = this.#queue.shift(); push !== undefined; push = this.#queue.shift()) {
      for await (const frame of toFrames(push)) {
        if (this.#closed) return;
        this.#send(frame);
      }
      this.#pending_chars -= estimateChars(push);
    }
  }
}
