import { Readable } from 'node:stream';
import type { Ring } from './ring.ts';

/** Bytes that may wait for a slow reader; what comes later waits as a number in the ring. */
const BUFFERED_BYTES = 64 * 1024;

/** The part of a channel that a viewer uses. */
interface ViewedChannel {
  readonly ring: Pick<Ring, 'covers'>;
  /** The id of a message, as the client sends it back. */
  idOf(number: number): string;
  /** Returns the viewer's messages after a number, and the last number that they cover. */
  chunk(
    after: number,
    viewer: { topics: ReadonlySet<string>; key: string },
  ): { bytes: Buffer | undefined; last: number };
}

export interface ViewerDeps {
  channel: ViewedChannel;
  topics: ReadonlySet<string>;
  /** The last message of the ring that the reader has seen. */
  after: number;
  /** The first message of the stream. */
  greeting: string;
  now(): number;
}

/** One open stream: a number in the ring of its project, and its topics. */
export class Viewer {
  readonly stream: Readable;
  readonly topics: ReadonlySet<string>;
  /** Equal for viewers of the same topics, which share written chunks. */
  readonly key: string;
  readonly #deps: ViewerDeps;
  #after: number;
  #greeting: string | undefined;
  /** True when the reader wants more and there was nothing. */
  #wantsMore = false;
  #ended = false;
  #written_at: number;

  constructor(deps: ViewerDeps) {
    this.#deps = deps;
    this.topics = deps.topics;
    this.key = [...deps.topics].toSorted().join(',');
    this.#after = deps.after;
    this.#greeting = deps.greeting;
    this.#written_at = deps.now();
    this.stream = new Readable({ highWaterMark: BUFFERED_BYTES, read: () => this.#read() });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** True when the reader is stuck and messages that it has not read were dropped. */
  get hasLostMessages(): boolean {
    return !this.#deps.channel.ring.covers(this.#after);
  }

  /** Called when there are new messages. */
  wake(): void {
    if (!this.#wantsMore || this.#ended) return;
    this.#wantsMore = false;
    this.#read();
  }

  /**
   * Writes a comment, because proxies close a silent connection. It carries the current id, which also advances with
   * messages of other topics.
   */
  sendHeartbeat(silent_ms: number): void {
    if (!this.#wantsMore || this.#ended || this.#deps.now() - this.#written_at < silent_ms) return;
    this.#wantsMore = false;
    this.#write(`: still here\nid: ${this.#deps.channel.idOf(this.#after)}\n\n`);
  }

  /** Ends the stream, after a last message if there is one. */
  end(farewell?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (farewell !== undefined) this.stream.push(farewell);
    this.stream.push(null);
  }

  #read(): void {
    if (this.#ended) return;
    const { channel } = this.#deps;
    if (this.#greeting !== undefined) {
      const greeting = `${this.#greeting}id: ${channel.idOf(this.#after)}\n\n`;
      this.#greeting = undefined;
      this.#write(greeting);
      return;
    }
    if (this.hasLostMessages) return this.end(formatFinalEvent('reset', { reason: 'too_slow' }));
    const { bytes, last } = channel.chunk(this.#after, this);
    this.#after = last;
    if (bytes === undefined) this.#wantsMore = true;
    else this.#write(bytes);
  }

  #write(bytes: Buffer | string): void {
    this.#written_at = this.#deps.now();
    this.stream.push(bytes);
  }
}

/** The lines of a server-sent event without its id. JSON has no line breaks. */
export const formatEvent = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n`;

/** Formats a message that is not in the ring and therefore has no id. */
export const formatFinalEvent = (event: string, data: unknown): string => `${formatEvent(event, data)}\n`;
