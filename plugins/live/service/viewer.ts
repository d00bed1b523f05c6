import { Readable } from 'node:stream';
import type { Channel } from './channel.ts';

/** Bytes that may wait for a slow reader; what comes later waits as a number in the ring. */
const BUFFERED_BYTES = 64 * 1024;

export interface ViewerParts {
  channel: Channel;
  topics: ReadonlySet<string>;
  /** The last message of the ring that the reader has seen. */
  after: number;
  /** The first message. */
  greeting: string;
  now(): number;
}

/** One open stream: a number in the ring of its project, and the topics that it wants. */
export class Viewer {
  readonly stream: Readable;
  readonly topics: ReadonlySet<string>;
  /** The same for viewers of the same topics, who share what is written. */
  readonly key: string;
  readonly #parts: ViewerParts;
  #after: number;
  #greeting: string | undefined;
  /** The reader wants more, and there was nothing. */
  #hungry = false;
  #ended = false;
  #said_at: number;

  constructor(parts: ViewerParts) {
    this.#parts = parts;
    this.topics = parts.topics;
    this.key = [...parts.topics].toSorted().join(',');
    this.#after = parts.after;
    this.#greeting = parts.greeting;
    this.#said_at = parts.now();
    this.stream = new Readable({ highWaterMark: BUFFERED_BYTES, read: () => this.#read() });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The reader does not read, and messages that it has not had are gone. */
  get lost(): boolean {
    return !this.#parts.channel.ring.covers(this.#after);
  }

  /** There are new messages. */
  wake(): void {
    if (!this.#hungry || this.#ended) return;
    this.#hungry = false;
    this.#read();
  }

  /** Proxies close a silent connection. Says the position too, which moves on when others are told something. */
  beat(silent_ms: number): void {
    if (!this.#hungry || this.#ended || this.#parts.now() - this.#said_at < silent_ms) return;
    this.#hungry = false;
    this.#say(`: still here\nid: ${this.#parts.channel.idOf(this.#after)}\n\n`);
  }

  /** The last message, and the end. */
  end(farewell?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (farewell !== undefined) this.stream.push(farewell);
    this.stream.push(null);
  }

  #read(): void {
    if (this.#ended) return;
    const { channel } = this.#parts;
    if (this.#greeting !== undefined) {
      const greeting = `${this.#greeting}id: ${channel.idOf(this.#after)}\n\n`;
      this.#greeting = undefined;
      this.#say(greeting);
      return;
    }
    if (this.lost) return this.end(message('reset', { reason: 'too_slow' }));
    const { bytes, last } = channel.chunk(this.#after, this);
    this.#after = last;
    if (bytes === undefined) this.#hungry = true;
    else this.#say(bytes);
  }

  #say(bytes: Buffer | string): void {
    this.#said_at = this.#parts.now();
    this.stream.push(bytes);
  }
}

/** The lines of a server-sent event without its id. JSON has no line breaks. */
export const lines = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n`;

/** One that is not in the ring, and so has no id. */
export const message = (event: string, data: unknown): string => `${lines(event, data)}\n`;
