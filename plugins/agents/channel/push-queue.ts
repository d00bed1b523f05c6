import type { ChannelFrame, ChannelPush } from '../contract.ts';
import { framesOf, isShort, weightOf } from './frames.ts';

/** Pushes of one connection on their way out, in order. A long one is packed part by part, and the next ones wait. */
export class PushQueue {
  readonly #send: (frame: ChannelFrame) => void;
  #queue: ChannelPush[] = [];
  #waiting = 0;
  #pumping: Promise<void> | undefined;
  #closed = false;

  constructor(send: (frame: ChannelFrame) => void) {
    this.#send = send;
  }

  /** Characters that are not sent yet, roughly. */
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

  /** What waits is forgotten: its agent asks again when it has reconnected. */
  close(): void {
    this.#closed = true;
    this.#queue = [];
  }

  /** Resolves when nothing is being packed. */
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
