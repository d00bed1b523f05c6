import type { Masker, MaskStream } from '../../masking/contract.ts';
import type { LogChunk } from '../../runs/contract.ts';

type Stream = LogChunk['stream'];

/** The masked streams of one pass. Bytes that may begin a secret value wait here for the next ones. */
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

  /** Returns the waiting bytes: after a park nothing can be logged. */
  settle(): void {
    for (const [stream, masked] of this.#streams) this.#add(stream, masked.settle());
  }

  /** Returns the waiting bytes at the end of the stream. */
  end(): void {
    for (const [stream, masked] of this.#streams) this.#add(stream, masked.end());
  }
}
