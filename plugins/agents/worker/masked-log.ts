import type { Masker, MaskStream } from '../../masking/contract.ts';
import type { LogChunk } from '../../runs/contract.ts';

type Stream = LogChunk['stream'];

/** The streams of one pass under the mask, each by itself: what may begin a value waits here for what follows. */
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

  /** Gives out what waits: after a park there is no claim to log under. */
  settle(): void {
    for (const [stream, masked] of this.#streams) this.#add(stream, masked.settle());
  }

  /** The same, when nothing follows. */
  end(): void {
    for (const [stream, masked] of this.#streams) this.#add(stream, masked.end());
  }
}
