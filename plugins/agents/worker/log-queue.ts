import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';
import type { LogChunk } from '../../runs/contract.ts';

export interface LogQueueParts {
  clock: Clock;
  /** Resolves when the server has the chunks. Rejects when they can never be added. */
  send(chunks: LogChunk[]): Promise<void>;
}

/** A batch is sent at this age or size. */
const AGE_MS = 50;
const BATCH_BYTES = 32 * 1024;
/** Maximum size of one send, so that frames stay small even with a long queue. */
const SEND_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** Above this size the reader is asked to pause; it continues below half of it. */
const FULL_BYTES = 1024 * 1024;
/** Above this size chunks of a reader that does not pause are dropped. */
const DROP_BYTES = 8 * 1024 * 1024;

interface Piece {
  site: string | undefined;
  stream: LogChunk['stream'];
  at: number;
  parts: Buffer[];
  bytes: number;
}

/** The log of one pass on its way to the server: ordered, batched and bounded, with one batch in flight. */
export class LogQueue {
  readonly #parts: LogQueueParts;
  #pieces: Piece[] = [];
  #bytes = 0;
  #dropped = 0;
  #n = 0;
  #site: string | undefined;
  #cancelTimer: Cancel | undefined;
  #sending: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;
  #closed = false;

  constructor(parts: LogQueueParts) {
    this.#parts = parts;
  }

  add(stream: LogChunk['stream'], data: Buffer): void {
    if (this.#closed || data.length === 0) return;
    if (this.#bytes + data.length > DROP_BYTES) {
      this.#dropped += data.length;
      return;
    }
    for (let from = 0; from < data.length; from += CHUNK_BYTES)
      this.#append(stream, data.subarray(from, from + CHUNK_BYTES));
    if (this.#bytes >= FULL_BYTES) this.#room ??= Promise.withResolvers<void>();
    if (this.#bytes >= BATCH_BYTES) this.#pump();
    else this.#cancelTimer ??= this.#parts.clock.after(AGE_MS, () => this.#pump());
  }

  /** What is added from now on was printed after the call at this site began. */
  from(site: string): void {
    this.#site = site;
  }

  /** Set while the queue is full. */
  full(): Promise<void> | undefined {
    return this.#room?.promise;
  }

  /** Resolves when everything added so far is stored or can never be stored. */
  async flush(): Promise<void> {
    while (!this.#closed && (this.#bytes > 0 || this.#sending)) {
      this.#pump();
      await this.#sending;
    }
  }

  /** Drops the queue: with the claim, the right to log is lost. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#pieces = [];
    this.#bytes = 0;
    this.#release();
  }

  #append(stream: LogChunk['stream'], data: Buffer): void {
    this.#bytes += data.length;
    const last = this.#pieces.at(-1);
    const goesOn = last?.stream === stream && last.site === this.#site && last.bytes + data.length <= CHUNK_BYTES;
    if (goesOn) {
      last.parts.push(data);
      last.bytes += data.length;
    } else {
      const at = this.#parts.clock.now();
      this.#pieces.push({ site: this.#site, stream, at, parts: [data], bytes: data.length });
    }
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#sending || this.#closed || this.#pieces.length === 0) return;
    this.#sending = this.#drain().finally(() => {
      this.#sending = undefined;
    });
  }

  async #drain(): Promise<void> {
    while (this.#pieces.length > 0 && !this.#closed) {
      const chunks = this.#cut();
      // The program prints the next batch while this one is on its way.
      this.#releaseBelow();
      try {
        await this.#parts.send(chunks);
      } catch {
        // The sender reported the reason. The log ends here; the work continues or is stopped by its owner.
        this.close();
      }
      this.#releaseBelow();
    }
  }

  #cut(): LogChunk[] {
    const chunks: LogChunk[] = [];
    let bytes = 0;
    while (this.#pieces.length > 0 && bytes < SEND_BYTES) {
      const piece = this.#pieces.shift()!;
      bytes += piece.bytes;
      chunks.push(this.#chunk(piece, Buffer.concat(piece.parts)));
    }
    this.#bytes -= bytes;
    if (this.#dropped > 0) {
      const lost = `svc: ${this.#dropped} bytes of output were dropped because they came faster than they could be sent\n`;
      this.#dropped = 0;
      chunks.push(this.#chunk({ site: undefined, stream: 'system', at: this.#parts.clock.now() }, Buffer.from(lost)));
    }
    return chunks;
  }

  #chunk({ site, stream, at }: Pick<Piece, 'site' | 'stream' | 'at'>, data: Buffer): LogChunk {
    const n = this.#n;
    this.#n += 1;
    return { n, stream, at, ...(site === undefined ? {} : { site }), data: data.toString('base64') };
  }

  #releaseBelow(): void {
    if (this.#bytes < FULL_BYTES / 2) this.#release();
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
