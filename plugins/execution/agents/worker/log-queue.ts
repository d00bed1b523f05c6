import { BytePieces, type Cancel, type Clock } from '../../../../kernel/contracts/index.ts';
import type { LogChunk } from '../../../engine/runs/contract.ts';

export interface LogQueueDeps {
  clock: Clock;
  /** Resolves when the server has the chunks. Rejects when they can never be added. */
  send(chunks: LogChunk[]): Promise<void>;
}

/** A batch is sent at this age or size. */
const AGE_MS = 50;
const BATCH_BYTES = 32 * 1024;
/** Maximum bytes of one send, so that frames stay small even with a long queue. */
const SEND_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Above this size the reader is asked to pause; it resumes below half of it. */
const FULL_BYTES = 1024 * 1024;
/** Above this size, chunks of a reader that does not pause are dropped. */
const DROP_BYTES = 8 * 1024 * 1024;

interface LogSegment {
  site: string | undefined;
  stream: LogChunk['stream'];
  at: number;
  pieces: BytePieces;
  bytes: number;
}

/** The log of one pass on its way to the server: ordered, batched and bounded, with one batch in flight. */
export class LogQueue {
  readonly #deps: LogQueueDeps;
  #segments: LogSegment[] = [];
  #bytes = 0;
  #dropped = 0;
  #next_n = 0;
  #site: string | undefined;
  #cancelTimer: Cancel | undefined;
  #sending: Promise<void> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(deps: LogQueueDeps) {
    this.#deps = deps;
  }

  add(stream: LogChunk['stream'], data: Buffer): void {
    if (this.#closed || data.length === 0) return;
    if (this.#bytes + data.length > DROP_BYTES) {
      this.#dropped += data.length;
      return;
    }
    for (let setSite = 0; setSite < data.length; setSite += CHUNK_BYTES)
      this.#append(stream, data.subarray(setSite, setSite + CHUNK_BYTES));
    if (this.#bytes >= FULL_BYTES) this.#drained ??= Promise.withResolvers<void>();
    if (this.#bytes >= BATCH_BYTES) this.#pump();
    else this.#cancelTimer ??= this.#deps.clock.after(AGE_MS, () => this.#pump());
  }

  /** Marks everything added from now on as printed after the call at this site began. */
  from(site: string): void {
    this.#site = site;
  }

  /** Set while the queue is full. */
  whenDrained(): Promise<void> | undefined {
    return this.#drained?.promise;
  }

  /** Resolves when everything added so far is stored or can never be stored. */
  async flush(): Promise<void> {
    while (!this.#closed && (this.#bytes > 0 || this.#sending)) {
      this.#pump();
      await this.#sending;
    }
  }

  /** Drops the queue: nothing can be logged without the claim. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#segments = [];
    this.#bytes = 0;
    this.#resumeReader();
  }

  #append(stream: LogChunk['stream'], data: Buffer): void {
    this.#bytes += data.length;
    const last = this.#segments.at(-1);
    const continues = last?.stream === stream && last.site === this.#site && last.bytes + data.length <= CHUNK_BYTES;
    if (continues) {
      last.pieces.add(data);
      last.bytes += data.length;
    } else {
      const at = this.#deps.clock.now();
      const pieces = new BytePieces();
      pieces.add(data);
      this.#segments.push({ site: this.#site, stream, at, pieces, bytes: data.length });
    }
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#sending || this.#closed || this.#segments.length === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#segments.length > 0 && !this.#closed) {
      const chunks = this.#takeBatch();
      // The program may print the next batch while this one is in flight.
      this.#resumeReaderBelowLimit();
      try {
        await this.#deps.send(chunks);
      } catch {
        // The sender reported the reason. The log ends here; the work continues or is stopped by its owner.
        this.close();
      }
      this.#resumeReaderBelowLimit();
    }
  }

  #takeBatch(): LogChunk[] {
    const chunks: LogChunk[] = [];
    let bytes = 0;
    while (this.#segments.length > 0 && bytes < SEND_BYTES) {
      const segment = this.#segments.shift()!;
      bytes += segment.bytes;
      chunks.push(this.#chunk(segment, segment.pieces.concat()));
    }
    this.#bytes -= bytes;
    if (this.#dropped > 0) {
      const lost = `svc: ${this.#dropped} bytes of output were dropped because they arrived faster than they could be sent\n`;
      this.#dropped = 0;
      chunks.push(this.#chunk({ site: undefined, stream: 'system', at: this.#deps.clock.now() }, Buffer.from(lost)));
    }
    return chunks;
  }

  #chunk({ site, stream, at }: Pick<LogSegment, 'site' | 'stream' | 'at'>, data: Buffer): LogChunk {
    const n = this.#next_n;
    this.#next_n += 1;
    return { n, stream, at, site, data: data.toString('base64') };
  }

  #resumeReaderBelowLimit(): void {
    if (this.#bytes < FULL_BYTES / 2) this.#resumeReader();
  }

  #resumeReader(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
