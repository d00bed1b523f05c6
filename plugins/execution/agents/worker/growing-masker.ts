import type { Clock } from '../../../../kernel/contracts/index.ts';
import type { Masker, Maskers, MaskStream } from '../../../security/masking/contract.ts';

/** Values that the pass got after its start, until nobody accepts them any more. */
interface LaterValues {
  masker: Masker;
  /** Milliseconds of the monotonic clock. */
  until: number;
}

/**
 * A pass's masker, to which values can be added while its streams are open. A value that is added is searched before
 * those that the pass started with: otherwise a mask inside it would hide the value from its own search. Nothing can have
 * printed it before it was added, so its search begins with the next byte.
 */
export class GrowingMasker implements Masker {
  readonly #first: Masker;
  readonly #maskers: Pick<Maskers, 'prepare'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #streams = new Set<GrowingStream>();
  #later: LaterValues[] = [];

  constructor(first: Masker, maskers: Pick<Maskers, 'prepare'>, clock: Pick<Clock, 'monotonic'>) {
    this.#first = first;
    this.#maskers = maskers;
    this.#clock = clock;
  }

  /** Masks these values too from now on, for so many milliseconds. */
  async add(values: readonly string[], lifetime_ms: number): Promise<void> {
    const masker = await this.#maskers.prepare(values, '');
    const now = this.#clock.monotonic();
    const expired = new Set(this.#later.filter(({ until }) => until <= now).map((one) => one.masker));
    this.#later = [...this.#later.filter(({ until }) => until > now), { masker, until: now + lifetime_ms }];
    for (const stream of this.#streams) stream.replace(masker, expired);
  }

  get idle(): boolean {
    return this.#first.idle && this.#later.length === 0;
  }

  stream(): MaskStream {
    const stream = new GrowingStream(
      this.#later.map(({ masker }) => masker),
      this.#first,
      () => this.#streams.delete(stream),
    );
    this.#streams.add(stream);
    return stream;
  }

  bytes(data: Buffer): Buffer {
    return this.#first.bytes(this.#later.reduce((masked, { masker }) => masker.bytes(masked), data));
  }

  async maskLarge(data: Buffer): Promise<Buffer> {
    let masked = data;
    for (const { masker } of this.#later) masked = await masker.maskLarge(masked);
    return this.#first.maskLarge(masked);
  }

  text(text: string): string {
    return this.#first.text(this.#later.reduce((masked, { masker }) => masker.text(masked), text));
  }

  json<T>(value: T): T {
    return this.#first.json(this.#later.reduce((masked, { masker }) => masker.json(masked), value));
  }
}

interface Stage {
  masker: Masker;
  stream: MaskStream;
}

/** Searches for the values of one masker after the other; each stage reads what the stage before it lets through. */
class GrowingStream implements MaskStream {
  #stages: Stage[];
  readonly #onEnd: () => void;
  /** What stages that were removed had held back. */
  #released: Buffer[] = [];

  constructor(later: readonly Masker[], first: Masker, onEnd: () => void) {
    this.#stages = [...later, first].map((masker) => ({ masker, stream: masker.stream() }));
    this.#onEnd = onEnd;
  }

  replace(added: Masker, removed: ReadonlySet<Masker>): void {
    for (const { masker, stream } of this.#stages) {
      if (!removed.has(masker)) continue;
      const below = this.#stages.slice(this.#stages.findIndex((stage) => stage.masker === masker) + 1);
      this.#released.push(pass(below, stream.end()));
      this.#stages = this.#stages.filter((stage) => stage.masker !== masker);
    }
    this.#stages = [{ masker: added, stream: added.stream() }, ...this.#stages];
  }

  push(chunk: Buffer): Buffer {
    return this.#withReleased(pass(this.#stages, chunk));
  }

  flush(): Buffer {
    return this.#drain('flush');
  }

  end(): Buffer {
    this.#onEnd();
    return this.#drain('end');
  }

  /** Each stage gets what the stages before it had held back, and then gives up what it holds back itself. */
  #drain(how: 'flush' | 'end'): Buffer {
    let drained = Buffer.alloc(0) as Buffer;
    for (const { stream } of this.#stages) drained = join([stream.push(drained), stream[how]()]);
    return this.#withReleased(drained);
  }

  #withReleased(bytes: Buffer): Buffer {
    return this.#released.length === 0 ? bytes : join([...this.#released.splice(0), bytes]);
  }
}

const pass = (stages: readonly Stage[], chunk: Buffer): Buffer =>
  stages.reduce((bytes, { stream }) => stream.push(bytes), chunk);

const join = (buffers: readonly Buffer[]): Buffer => {
  const filled = buffers.filter(({ length }) => length > 0);
  return filled.length === 1 ? filled[0]! : Buffer.concat(filled);
};
