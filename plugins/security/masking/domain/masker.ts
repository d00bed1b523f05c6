import { yieldToEventLoop } from '../../../../kernel/contracts/index.ts';
import { type Masker, type MaskStream, MIN_MASKED_BYTES } from '../contract.ts';
import { copySpelling, isNumber, sourceText, yieldBeforePiece } from '../../../platform/schema/contract.ts';
import { secretsTooLarge } from '../errors.ts';
import { type Automaton, buildAutomaton } from './automaton.ts';
import { derivedForms, literalForms } from './forms.ts';
import { MaskedStream } from './mask-stream.ts';

/** The maximum bytes of all values together. A process cannot receive much more. */
const MAX_VALUE_BYTES = 1024 * 1024;
/**
 * The maximum bytes of all forms together. An automaton takes about 17 bytes for each. Beyond this limit, the encoded forms of the
 * longest values are left out.
 */
const MAX_FORM_BYTES = 4 * 1024 * 1024;
/** Making forms with this many bytes takes a few milliseconds. */
const PIECE_FORM_BYTES = 64 * 1024;
/** How many bytes are masked before yielding to the event loop, which takes a few milliseconds at most. */
const SLICE_BYTES = 64 * 1024;

const unchanged: MaskStream = { push: (chunk) => chunk, flush: () => Buffer.alloc(0), end: () => Buffer.alloc(0) };

export const noopMasker: Masker = {
  idle: true,
  stream: () => unchanged,
  bytes: (data) => data,
  maskLarge: async (data) => data,
  text: (text) => text,
  json: (value) => value,
};

/** Makes a masker for these values at once. Throws `secrets_too_large`. */
export function makeMasker(values: readonly string[]): Masker {
  const making = makeInPieces(values);
  for (;;) {
    const piece = making.next();
    if (piece.done) return piece.value;
  }
}

/** Makes a masker for these values in several turns of the event loop. Throws `secrets_too_large`. */
export async function makeMaskerYielding(values: readonly string[]): Promise<Masker> {
  const making = makeInPieces(values);
  for (;;) {
    await yieldBeforePiece();
    const piece = making.next();
    if (piece.done) return piece.value;
  }
}

/** Pauses after pieces of work that take a few milliseconds each. */
function* makeInPieces(values: readonly string[]): Generator<undefined, Masker> {
  const forms = yield* formsOf([...new Set(values)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_BYTES));
  return forms.length === 0 ? noopMasker : new ByteMasker(yield* buildAutomaton(forms));
}

/** Throws `secrets_too_large`. */
export function assertMaskable(values: readonly string[]): void {
  const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > MAX_VALUE_BYTES)
    throw secretsTooLarge(`the secrets of this job total ${bytes} bytes; the limit is ${MAX_VALUE_BYTES}`);
}

/** Short values come first, so that one huge value does not displace them. */
function* formsOf(values: readonly string[]): Generator<undefined, Buffer[]> {
  assertMaskable(values);
  const forms = new Set<string>();
  let remaining_bytes = MAX_FORM_BYTES;
  /** The bytes that were made since the last pause. */
  let made = 0;
  for (const value of values) {
    for (const form of literalForms(value)) {
      if (!forms.has(form)) remaining_bytes -= Buffer.byteLength(form);
      forms.add(form);
    }
    made += value.length;
    if (made < PIECE_FORM_BYTES) continue;
    made = 0;
    yield;
  }
  for (const value of [...values].sort((a, b) => a.length - b.length)) {
    const more = new Set<string>();
    for (const form of derivedForms(value)) {
      made += form.length;
      if (!forms.has(form) && !more.has(form)) {
        more.add(form);
        remaining_bytes -= Buffer.byteLength(form);
      }
      if (remaining_bytes < 0) break;
      if (made < PIECE_FORM_BYTES) continue;
      made = 0;
      yield;
    }
    if (remaining_bytes < 0) break;
    for (const form of more) forms.add(form);
  }
  return [...forms].map((form) => Buffer.from(form));
}

class ByteMasker implements Masker {
  readonly idle = false;
  readonly #automaton: Automaton;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  stream(): MaskStream {
    return new MaskedStream(this.#automaton);
  }

  bytes(data: Buffer): Buffer {
    const stream = this.stream();
    const masked = stream.push(data);
    if (masked === data) return data;
    const result = Buffer.concat([masked, stream.end()]);
    return result.equals(data) ? data : result;
  }

  async maskLarge(data: Buffer): Promise<Buffer> {
    if (data.length <= SLICE_BYTES) return this.bytes(data);
    const stream = this.stream();
    const chunks: Buffer[] = [];
    for (let from = 0; from < data.length; from += SLICE_BYTES) {
      if (from > 0) await yieldToEventLoop();
      chunks.push(stream.push(data.subarray(from, from + SLICE_BYTES)));
    }
    return Buffer.concat([...chunks, stream.end()]);
  }

  text(text: string): string {
    const data = Buffer.from(text);
    const masked = this.bytes(data);
    return masked === data ? text : masked.toString();
  }

  json<T>(value: T): T {
    return this.#json(value) as T;
  }

  #json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (isNumber(value)) return this.#number(value, String(value));
    if (typeof value !== 'object' || value === null) return value;
    const member = (name: string | number, one: unknown): unknown => {
      const source_text = sourceText(value, name, one);
      return source_text === undefined ? this.#json(one) : this.#number(one, source_text);
    };
    if (Array.isArray(value))
      return copySpelling(
        value.map((one, at) => member(at, one)),
        value,
      );
    // Two keys may become equal when they are masked. The later value wins.
    const members = Object.entries(value).map(([key, one]) => [this.text(key), member(key, one)] as const);
    return copySpelling(Object.fromEntries(members), value);
  }

  /** A secret of digits may have been parsed as a number, so the text that will be written is masked. */
  #number(value: unknown, text: string): unknown {
    const masked = this.text(text);
    return masked === text ? value : masked;
  }
}
