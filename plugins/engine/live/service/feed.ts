import type { Cancel, Clock, Scope } from '../../../../kernel/contracts/index.ts';
import type { LiveMessage, LiveStop, LiveTopic } from '../contract.ts';
import type { Ring } from './ring.ts';

/** How long a reader continues without viewers, so that a reloaded page resumes where it was. */
export const LINGER_MS = 15_000;

/** The part of a channel that a feed uses. */
interface FedChannel {
  readonly scope: Scope;
  readonly ring: Pick<Ring, 'append' | 'last'>;
  readonly feeds: Map<string, unknown>;
  send(topic: string, messages: readonly LiveMessage[]): void;
}

export interface FeedDeps {
  channel: FedChannel;
  topic: LiveTopic;
  argument: string;
  /** `events`, `run:run_01…`. */
  key: string;
  clock: Clock;
  /** Takes ownership of the end of the reader, which no caller awaits. */
  trackEnd(end: Promise<void>): void;
}

/** Reads one topic of one project, once for all its viewers. */
export class Feed {
  readonly #deps: FeedDeps;
  #opening: Promise<LiveStop> | undefined;
  #viewers = 0;
  #cancelLinger: Cancel = () => {};
  /** The number in the ring at which it began to read; undefined until then. */
  #since: number | undefined;
  #closed = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  /** Returns true when no message after that number is missing. */
  covers(after: number): boolean {
    return this.#since !== undefined && this.#since <= after;
  }

  /** Adds a viewer and resolves when the topic is being read. Every `join` needs a `leave`, even when it throws. */
  async join(): Promise<void> {
    this.#viewers += 1;
    this.#cancelLinger();
    this.#opening ??= this.#open();
    await this.#opening;
  }

  leave(): void {
    this.#viewers -= 1;
    if (this.#viewers > 0 || this.#closed) return;
    this.#cancelLinger = this.#deps.clock.after(LINGER_MS, () => this.#deps.trackEnd(this.close()), { unref: true });
  }

  /** Ends the reading. Viewers that remain are not told. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLinger();
    const { channel, key } = this.#deps;
    if (channel.feeds.get(key) === this) channel.feeds.delete(key);
    const stop = await this.#opening?.catch(() => undefined);
    await stop?.();
  }

  async #open(): Promise<LiveStop> {
    const { channel, topic, argument, key } = this.#deps;
    try {
      const stop = await topic.open(channel.scope, argument, {
        send: (messages) => this.#closed || channel.send(key, messages),
        reset: () => this.#closed || channel.send(key, [{ event: 'reset', data: { reason: 'lost' } }]),
      });
      // This takes a number of its own: viewers from before the begin have missed something.
      channel.ring.append({ topic: '', text: '' });
      this.#since = channel.ring.last;
      return stop;
    } catch (error) {
      // The next viewer tries again.
      this.#closed = true;
      if (channel.feeds.get(key) === this) channel.feeds.delete(key);
      throw error;
    }
  }
}
