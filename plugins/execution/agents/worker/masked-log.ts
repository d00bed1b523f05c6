import type { Masker, MaskStream } from '../../../security/masking/contract.ts';
import type { LogChunk } from '../../../engine/runs/contract.ts';

type Stream = LogChunk['stream'];

/** Masks the log streams of one pass. Bytes that may begin a secret value are buffered until more arrive. */
export class MaskedLog {
  readonly #masker: Masker;
  readonly #add: (stream: Stream, data: Buffer) => void;
  readonly #streams = new Map<Stream, MaskStream>();

  constructor(masker: Masker, add: (stream: Stream, data: Buffer) => void) {
    this.#masker = masker;
    this.#add = add;
  }

  add(stream: Stream, data: Buffer): void {
    let masked = this.#streams.get(stream);
    if (masked === undefined) this.#streams.set(stream, (masked = this.#masker.stream()));
    this.#add(stream, masked.push(data));
  }

  /** Writes the buffered bytes, because nothing can be logged after a park. */
  flush(): void {
    for (const [stream, masked] of this.#streams) this.#add(stream, masked.flush());
  }

  /** Writes the buffered bytes at the end of the stream. */
  end(): void {
    for (const [stream, masked] of this.#streams) this.#add(stream, masked.end());
  }
}
