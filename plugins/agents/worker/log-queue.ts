import type { Cancel, Clock } from '../../../kernel/contracts/index.ts';
import type { LogChunk } from '../../runs/contract.ts';

export interface LogQueueParts {
  clock: Clock;
  /** Resolves when the server has the chunks. Rejects when they can never be added. */
  send(chunks: LogChunk[]): Promise<void>;
}

/** A batch leaves when it is this old or this big. */
const AGE_MS = 50;
const BATCH_BYTES = 32 * 1024;
/** One send carries at most this much, so that a frame stays small whatever piled up. */
const SEND_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** From here on the reader is asked to pause; it may go on at half of it. */
const FULL_BYTES = 1024 * 1024;
/** A reader that does not pause loses what comes beyond. */
const DROP_BYTES = 8 * 1024 * 1024;

interface Piece {
  stream: LogChunk['stream'];
  at: number;
  parts: Buffer[];
  bytes: number;
}

/** The log of one pass on its way to the server: in order, batched, bounded, one batch in flight. */
export class LogQueue {
  readonly #parts: LogQueueParts;
  #pieces: Piece[] = [];
  #bytes = 0;
  #dropped = 0;
  #n = 0;
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

  /** Set while too much is queued. */
  full(): Promise<void> | undefined {
    return this.#room?.promise;
  }

  /** Resolves when everything added so far is with the server, or can never be. */
  async flush(): Promise<void> {
    while (!this.#closed && (this.#bytes > 0 || this.#sending)) {
      this.#pump();
      await this.#sending;
    }
  }

  /** Forgets what is queued: the claim is gone, and with it the right to log. */
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
    if (last && last.stream === stream && last.bytes + data.length <= CHUNK_BYTES) {
      last.parts.push(data);
      last.bytes += data.length;
    } else this.#pieces.push({ stream, at: this.#parts.clock.now(), parts: [data], bytes: data.length });
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
      try {
        await this.#parts.send(chunks);
      } catch {
        // The sender has reported why; the log ends here, the work goes on or is stopped by its owner.
        this.close();
      }
      if (this.#bytes < FULL_BYTES / 2) this.#release();
    }
  }

  #cut(): LogChunk[] {
    const chunks: LogChunk[] = [];
    let bytes = 0;
    while (this.#pieces.length > 0 && bytes < SEND_BYTES) {
      const piece = this.#pieces.shift()!;
      bytes += piece.bytes;
      chunks.push(this.#chunk(piece.stream, piece.at, Buffer.concat(piece.parts)));
    }
    this.#bytes -= bytes;
    if (this.#dropped > 0) {
      const lost = `svc: ${this.#dropped} bytes of output came faster than they could be sent and were left out\n`;
      this.#dropped = 0;
      chunks.push(this.#chunk('system', this.#parts.clock.now(), Buffer.from(lost)));
    }
    return chunks;
  }

  #chunk(stream: LogChunk['stream'], at: number, data: Buffer): LogChunk {
    const n = this.#n;
    this.#n += 1;
    return { n, stream, at, data: data.toString('base64') };
  }

  #release(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}
