import type { Scope } from '../../../kernel/contracts/index.ts';
import type { LiveMessage } from '../contract.ts';
import { Feed, type FeedParts } from './feed.ts';
import { Ring } from './ring.ts';
import { lines, type Viewer } from './viewer.ts';

/** Characters that go to a reader at once. */
const CHUNK = 64 * 1024;
/** Readers are mostly equally far; those that are not need no more of them kept. */
const MAX_WRITTEN = 64;

/** What everybody who looks at one project on this server shares: the messages and the readers. */
export class Channel {
  readonly scope: Scope;
  readonly ring = new Ring();
  readonly feeds = new Map<string, Feed>();
  readonly viewers = new Set<Viewer>();
  /** Tells this ring from those of other servers and of other times. */
  readonly #name: string;
  /** What was written last, for others who are as far. */
  readonly #written = new Map<string, { bytes: Buffer | undefined; last: number }>();

  constructor(scope: Scope, name: string) {
    this.scope = scope;
    this.#name = name;
  }

  get idle(): boolean {
    return this.viewers.size === 0 && this.feeds.size === 0;
  }

  /** The id of a message; the client sends it back as it is. */
  idOf(number: number): string {
    return `${this.#name}.${number}`;
  }

  /** The number of the last message that a reader has seen; undefined when the id is not of this ring. */
  numberOf(id: string): number | undefined {
    const [name, number = '', ...more] = id.split('.');
    if (name !== this.#name || more.length > 0 || !/^\d{1,15}$/.test(number)) return undefined;
    return Number(number);
  }

  /** The reader of a topic, which begins to read with the first who asks. */
  feed(parts: Omit<FeedParts, 'channel'>): Feed {
    const feed = this.feeds.get(parts.key) ?? new Feed({ ...parts, channel: this });
    this.feeds.set(parts.key, feed);
    return feed;
  }

  send(topic: string, messages: readonly LiveMessage[]): void {
    for (const { event, data } of messages) this.ring.append({ topic, text: lines(event, data) });
    this.#written.clear();
    const viewers = [...this.viewers];
    for (const viewer of viewers) viewer.wake();
  }

  /** The messages after a number that the viewer wants, and how far they reach. */
  chunk(after: number, { topics, key }: Pick<Viewer, 'topics' | 'key'>): { bytes: Buffer | undefined; last: number } {
    const place = `${after} ${key}`;
    const written = this.#written.get(place);
    if (written) return written;
    let text = '';
    let last = after;
    while (last < this.ring.last && text.length < CHUNK) {
      last += 1;
      const entry = this.ring.at(last);
      if (topics.has(entry.topic)) text += `${entry.text}id: ${this.idOf(last)}\n\n`;
    }
    if (this.#written.size >= MAX_WRITTEN) this.#written.clear();
    const chunk = { bytes: text === '' ? undefined : Buffer.from(text), last };
    this.#written.set(place, chunk);
    return chunk;
  }
}
