/*
 * Writes JSON in several pieces, exactly as JSON.stringify writes it at once: numbers as they were spelled, members in their
 * original order.
 */
import { ExactNumber } from './exact-number.ts';
import { memberNames, sourceText, SpelledItems } from './spelling.ts';
import { yieldBeforePiece } from './yield-before-large.ts';

/** Writing this many values takes about 10 ms for the costliest ones. */
const PIECE_VALUES = 16 * 1024;
/** JSON.stringify writes values with fewer members and fewer characters in no time. */
const FEW_VALUES = 1000;
const FEW_CHARACTERS = 64 * 1024;

export interface WriteLimits {
  max_bytes?: number;
  /** The maximum number of arrays and objects around a value. */
  max_depth?: number;
}

/** A written value, or the limit that it exceeds. */
export type Written = { json: Buffer } | { exceeded: keyof WriteLimits };

/** An object or array that is being written. */
interface OpenContainer {
  value: object;
  /** The names of an object's members. */
  names: readonly string[] | undefined;
  items: SpelledItems | undefined;
  length: number;
  at: number;
  /** True once a member was written: the next one is preceded by a comma. */
  is_started: boolean;
}

/** Writes a value that consists of objects, arrays, texts, numbers, booleans and nulls. */
class ExactWriter {
  readonly #limits: Required<WriteLimits>;
  readonly #open: OpenContainer[] = [];
  readonly #pieces: Buffer[] = [];
  #text = '';
  #bytes = 0;
  #exceeded: keyof WriteLimits | undefined;

  constructor(value: unknown, limits: WriteLimits) {
    this.#limits = { max_bytes: Number.POSITIVE_INFINITY, max_depth: Number.POSITIVE_INFINITY, ...limits };
    this.#put(value, undefined);
  }

  /** Writes this many more values. Returns undefined when there is more to write. */
  write(max_values: number): Written | undefined {
    let remaining = max_values;
    while (remaining > 0 && this.#open.length > 0 && this.#exceeded === undefined) {
      // A piece with long texts ends early.
      remaining -= 1 + this.#next() / 64;
    }
    this.#flush();
    if (this.#exceeded !== undefined) return { exceeded: this.#exceeded };
    return this.#open.length > 0 ? undefined : { json: Buffer.concat(this.#pieces, this.#bytes) };
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes > this.#limits.max_bytes) this.#exceeded ??= 'max_bytes';
  }

  /** Writes the next member of the innermost container, or its end. Returns the number of characters. */
  #next(): number {
    const before = this.#text.length;
    const open = this.#open.at(-1)!;
    const { value, names } = open;
    if (open.at === open.length) {
      this.#open.pop();
      this.#text += names === undefined ? ']' : '}';
      return 1;
    }
    const at = open.at++;
    if (names === undefined) {
      const item = (value as unknown[])[at];
      this.#separate(open);
      if (!this.#put(item, open.items?.next(item))) this.#text += 'null';
    } else {
      const name = names[at]!;
      const member = (value as Record<string, unknown>)[name];
      const from = this.#text;
      const was_started = open.is_started;
      this.#separate(open);
      this.#text += `${JSON.stringify(name)}:`;
      if (!this.#put(member, sourceText(value, name, member))) [this.#text, open.is_started] = [from, was_started];
    }
    return this.#text.length - before;
  }

  #separate(open: OpenContainer): void {
    if (open.is_started) this.#text += ',';
    open.is_started = true;
  }

  /** Returns false for a value that JSON does not have, such as undefined. */
  #put(value: unknown, spelled: string | undefined): boolean {
    if (spelled !== undefined) this.#text += spelled;
    else if (typeof value !== 'object' || value === null || value instanceof ExactNumber) {
      const text = JSON.stringify(value) as string | undefined;
      if (text === undefined) return false;
      this.#text += text;
    } else this.#begin(value);
    return true;
  }

  #begin(value: object): void {
    if (this.#open.length >= this.#limits.max_depth) this.#exceeded ??= 'max_depth';
    const names = Array.isArray(value) ? undefined : memberNames(value);
    const length = names?.length ?? (value as unknown[]).length;
    const items = names === undefined ? SpelledItems.of(value as unknown[]) : undefined;
    this.#open.push({ value, names, items, length, at: 0, is_started: false });
    this.#text += names === undefined ? '[' : '{';
  }
}

/**
 * Writes a value as JSON. A large one is written in several turns of the event loop, in which nobody may change it, and only up
 * to the limit that it exceeds.
 */
export async function writeJsonYielding(value: unknown, limits: WriteLimits = {}): Promise<Written> {
  const writer = new ExactWriter(value, limits);
  const values = isLarge(value) ? PIECE_VALUES : Number.POSITIVE_INFINITY;
  let written = writer.write(values);
  while (written === undefined) {
    await yieldBeforePiece();
    written = writer.write(values);
  }
  return written;
}

/** Tells whether a value has many members or long texts. It looks at a few of them only. */
function isLarge(value: unknown): boolean {
  let [values, characters] = [0, 0];
  const open: unknown[] = [value];
  while (open.length > 0 && values <= FEW_VALUES && characters <= FEW_CHARACTERS) {
    const next = open.pop();
    values += 1;
    if (typeof next === 'string') characters += next.length;
    else if (typeof next === 'object' && next !== null && !(next instanceof ExactNumber)) {
      if (Array.isArray(next) && next.length > FEW_VALUES) return true;
      const members: unknown[] = Object.values(next);
      if (members.length > FEW_VALUES) return true;
      for (const member of members) open.push(member);
    }
  }
  return open.length > 0;
}
