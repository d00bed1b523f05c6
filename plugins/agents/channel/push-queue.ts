import type { ChannelFrame, ChannelPush } from '../contract.ts';
import { framesOf, isShort, weightOf } from './frames.ts';

/** Queued pushes of one connection, in order. A long push is compressed part by part, and later ones wait. */
export class PushQueue {
  readonly #send: (frame: ChannelFrame) => void;
  #queue: ChannelPush[] = [];
  #waiting = 0;
  #pumping: Promise<void> | undefined;
  #closed = false;

  constructor(send: (frame: ChannelFrame) => void) {
    this.#send = send;
  }

  /** Approximate number of unsent characters. */
  get waiting(): number {
    return this.#waiting;
  }

  add(push: ChannelPush): void {
    if (this.#pumping === undefined && push.push !== 'assign') return this.#send(push);
    if (this.#pumping === undefined && isShort(push)) return this.#send(push);
    this.#queue.push(push);
    this.#waiting += weightOf(push);
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = undefined;
    });
  }

  /** Drops the queue: the agent asks again after it reconnects. */
  close(): void {
    this.#closed = true;
    this.#queue = [];
  }

  /** Resolves when no compression is running. */
  async done(): Promise<void> {
    await this.#pumping;
  }

  async #pump(): Promise<void> {
    for (let push = this.#queue.shift(); push !== undefined; push = this.#queue.shift()) {
      for await (const frame of framesOf(push)) {
        if (this.#closed) return;
        this.#send(frame);
      }
      this.#waiting -= weightOf(push);
    }
  }
}
