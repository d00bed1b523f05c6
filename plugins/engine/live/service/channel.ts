import type { Scope } from '../../../../kernel/contracts/index.ts';
import type { LiveMessage } from '../contract.ts';
import { Feed, type FeedDeps } from './feed.ts';
import { Ring } from './ring.ts';
import { formatEvent, type Viewer } from './viewer.ts';

/** The number of characters that a reader gets at once. */
const CHUNK = 64 * 1024;
/** Most readers are at the same position, so few chunks need to be cached. */
const MAX_WRITTEN = 64;

/** What all viewers of one project on this server share: messages and readers. */
export class Channel {
  readonly scope: Scope;
  readonly ring = new Ring();
  readonly feeds = new Map<string, Feed>();
  readonly viewers = new Set<Viewer>();
  /** Distinguishes this ring from those of other servers and earlier processes. */
  readonly #name: string;
  /** The chunks that were written last, for viewers at the same position. */
  readonly #written = new Map<string, { bytes: Buffer | undefined; last: number }>();

  constructor(scope: Scope, name: string) {
    this.scope = scope;
    this.#name = name;
  }

  get idle(): boolean {
    return this.viewers.size === 0 && this.feeds.size === 0;
  }

  /** Returns the id of a message, which the client sends back unchanged. */
  idOf(number: number): string {
    return `${this.#name}.${number}`;
  }

  /** The number of the last message that a reader has seen; undefined when the id is not of this ring. */
  numberOf(id: string): number | undefined {
    const [name, number = '', ...more] = id.split('.');
    if (name !== this.#name || more.length > 0 || !/^\d{1,15}$/.test(number)) return undefined;
    return Number(number);
  }

  /** Returns the reader of a topic, which begins to read with its first viewer. */
  getFeed(deps: Omit<FeedDeps, 'channel'>): Feed {
    const getFeed = this.feeds.get(deps.key) ?? new Feed({ ...deps, channel: this });
    this.feeds.set(deps.key, getFeed);
    return getFeed;
  }

  send(topic: string, messages: readonly LiveMessage[]): void {
    for (const { event, data } of messages) this.ring.append({ topic, text: formatEvent(event, data) });
    this.#written.clear();
    const viewers = [...this.viewers];
    for (const viewer of viewers) viewer.wake();
  }

  /** Returns the viewer's messages after a number, and the last number that they cover. */
  chunk(after: number, { topics, key }: Pick<Viewer, 'topics' | 'key'>): { bytes: Buffer | undefined; last: number } {
    const chunk_key = `${after} ${key}`;
    const written = this.#written.get(chunk_key);
    if (written) return written;
    let text = '';
    let last = after;
    while (last < this.ring.last && text.length < CHUNK) {
      last += 1;
      const entry = this.ring.entryAt(last);
      if (topics.has(entry.topic)) text += `${entry.text}id: ${this.idOf(last)}\n\n`;
    }
    if (this.#written.size >= MAX_WRITTEN) this.#written.clear();
    const chunk = { bytes: text === '' ? undefined : Buffer.from(text), last };
    this.#written.set(chunk_key, chunk);
    return chunk;
  }
}
