import { yieldToEventLoop } from '../../../kernel/contracts/index.ts';
import { type Masker, type MaskStream, MIN_MASKED_LENGTH } from '../contract.ts';
import { isNumber, spellLike, speltNumber } from '../../schema/contract.ts';
import { secretsTooLarge } from '../errors.ts';
import { type Automaton, buildAutomaton } from './automaton.ts';
import { derivedForms, plainForms } from './forms.ts';
import { MaskedStream } from './mask-stream.ts';

/** Bytes of all values together. A process cannot be given much more. */
const MAX_VALUE_BYTES = 1024 * 1024;
/**
 * Bytes of all forms together. An automaton takes about 17 bytes for each; beyond this bound the forms of the longest
 * values are left out.
 */
const MAX_FORM_BYTES = 4 * 1024 * 1024;
/** Bytes masked before yielding to the event loop: at most a few milliseconds of work. */
const SLICE_BYTES = 64 * 1024;

const unchanged: MaskStream = { push: (chunk) => chunk, settle: () => Buffer.alloc(0), end: () => Buffer.alloc(0) };

export const idleMasker: Masker = {
  idle: true,
  stream: () => unchanged,
  bytes: (data) => data,
  whole: async (data) => data,
  text: (text) => text,
  json: (value) => value,
};

/** Throws `secrets_too_large`. */
export function makeMasker(values: readonly string[]): Masker {
  const forms = formsOf([...new Set(values)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_LENGTH));
  return forms.length === 0 ? idleMasker : new ByteMasker(buildAutomaton(forms));
}

/** Short values come first, so that one huge value does not displace them. */
function formsOf(values: readonly string[]): Buffer[] {
  const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > MAX_VALUE_BYTES)
    throw secretsTooLarge(`the secrets of this job have ${bytes} bytes; the limit is ${MAX_VALUE_BYTES}`);
  const forms = new Set(values.flatMap(plainForms));
  let room = MAX_FORM_BYTES - [...forms].reduce((sum, form) => sum + Buffer.byteLength(form), 0);
  for (const value of [...values].sort((a, b) => a.length - b.length)) {
    const more = [...new Set(derivedForms(value))].filter((form) => !forms.has(form));
    room -= more.reduce((sum, form) => sum + Buffer.byteLength(form), 0);
    if (room < 0) break;
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
    const whole = Buffer.concat([masked, stream.end()]);
    return whole.equals(data) ? data : whole;
  }

  async whole(data: Buffer): Promise<Buffer> {
    if (data.length <= SLICE_BYTES) return this.bytes(data);
    const stream = this.stream();
    const parts: Buffer[] = [];
    for (let from = 0; from < data.length; from += SLICE_BYTES) {
      if (from > 0) await yieldToEventLoop();
      parts.push(stream.push(data.subarray(from, from + SLICE_BYTES)));
    }
    return Buffer.concat([...parts, stream.end()]);
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
      const spelt = speltNumber(value, name, one);
      return spelt === undefined ? this.#json(one) : this.#number(one, spelt);
    };
    if (Array.isArray(value))
      return spellLike(
        value.map((one, at) => member(at, one)),
        value,
      );
    // Two keys may become equal under the mask; the later value is kept.
    const members = Object.entries(value).map(([key, one]) => [this.text(key), member(key, one)] as const);
    return spellLike(Object.fromEntries(members), value);
  }

  /** A value of digits may have been parsed as a number. What is masked is how it will be written. */
  #number(value: unknown, text: string): unknown {
    const masked = this.text(text);
    return masked === text ? value : masked;
  }
}
