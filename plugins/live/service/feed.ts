import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';
import type { LiveStop, LiveTopic } from '../contract.ts';
import type { Channel } from './channel.ts';

/** So long a reader goes on when nobody looks any more: a page that was only loaded again goes on where it was. */
export const LINGER_MS = 15_000;

export interface FeedParts {
  channel: Channel;
  topic: LiveTopic;
  argument: string;
  /** `events`, `run:run_01…`. */
  key: string;
  clock: Clock;
  /** Owns the end of the reader, which nobody waits for. */
  ending(end: Promise<void>): void;
}

/** One topic of one project, read once for everybody who looks at it. */
export class Feed {
  readonly #parts: FeedParts;
  #opening: Promise<LiveStop> | undefined;
  #viewers = 0;
  #leaving: Cancel = () => {};
  /** The number in the ring at which it began to read; undefined until then. */
  #since: number | undefined;
  #over = false;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** True when no message after that number is missing. */
  covers(after: number): boolean {
    return this.#since !== undefined && this.#since <= after;
  }

  /** Somebody looks; resolves when it reads. Everybody who joins leaves, also when this throws. */
  async join(): Promise<void> {
    this.#viewers += 1;
    this.#leaving();
    this.#opening ??= this.#open();
    await this.#opening;
  }

  leave(): void {
    this.#viewers -= 1;
    if (this.#viewers > 0 || this.#over) return;
    this.#leaving = this.#parts.clock.after(LINGER_MS, () => this.#parts.ending(this.close()), { unref: true });
  }

  /** Ends the reading. Who looks at it meanwhile is not told. */
  async close(): Promise<void> {
    this.#over = true;
    this.#leaving();
    const { channel, key } = this.#parts;
    if (channel.feeds.get(key) === this) channel.feeds.delete(key);
    const stop = await this.#opening?.catch(() => undefined);
    await stop?.();
  }

  async #open(): Promise<LiveStop> {
    const { channel, topic, argument, key } = this.#parts;
    try {
      const stop = await topic.open(channel.scope, argument, {
        send: (messages) => this.#over || channel.send(key, messages),
        reset: () => this.#over || channel.send(key, [{ event: 'reset', data: { reason: 'lost' } }]),
      });
      // A number of its own: who was there before it began has missed something.
      channel.ring.append({ topic: '', text: '' });
      this.#since = channel.ring.last;
      return stop;
    } catch (error) {
      // The next one who looks tries anew.
      this.#over = true;
      if (channel.feeds.get(key) === this) channel.feeds.delete(key);
      throw error;
    }
  }
}
