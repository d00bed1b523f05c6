import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  type ScalarTag,
  type Tags,
} from 'yaml';
import type { Problem } from '../../runs/contract.ts';
import { linked, type Links } from './links.ts';

export type Path = readonly (string | number)[];

/** Uses of anchors; every use counts once for each anchor that it stands within. */
const MAX_ALIASES = 1000;

const MAX_WORDS = 250_000;

/** The first ones name the cause; the others are often its consequences. */
const MAX_FAULTS = 10;

const WHOLE = 'tag:yaml.org,2002:int';

/** Whole numbers beyond 2^53 are bigints; the library makes doubles of them, or bigints of all. */
const withExactNumbers = (tags: Tags): Tags =>
  tags.map((tag) => (typeof tag === 'object' && tag.tag === WHOLE && tag.collection === undefined ? exact(tag) : tag));

const exact = (tag: ScalarTag): ScalarTag => ({
  ...tag,
  resolve(text, onError, options) {
    const value = tag.resolve(text, onError, options);
    return Number.isSafeInteger(value) ? value : tag.resolve(text, onError, { ...options, intAsBigInt: true });
  },
});

const TOO_MANY_COPIES = `its anchors stand for more than ${MAX_ALIASES} copies; write the values where they are needed`;
const TOO_DEEP = 'the document nests too deep';

/** A YAML document with the place of each of its parts. */
export interface Source {
  value: unknown;
  places: Places;
}

/** Reads a document. Answers its problems if it is not YAML, or not one document. */
export function readSource(text: string): Source | { problems: Problem[] } {
  const lines = new LineCounter();
  const large = tooManyWords(text);
  if (large) return { problems: [large] };
  try {
    // The parser compares each key of a map with all others; `linked` finds those that occur twice in one walk.
    const document = parseDocument(text, {
      ...{ lineCounter: lines, prettyErrors: false, uniqueKeys: false, merge: true },
      customTags: withExactNumbers,
    });
    const links = linked(document);
    const places = new Places({ document, lines, text, links });
    const faults = [
      ...controlFaults(text),
      ...[...document.errors, ...document.warnings].map(({ pos, message }) => ({
        at: pos[0],
        message: worded(message),
      })),
      // The library would write each of them as a text, and that within it again.
      ...links.collections.map((at) => ({ at, message: 'a list or a map cannot be a key; write a text' })),
      ...links.twice.map((at) => ({ at, message: 'this key occurs twice in one map; remove one of them' })),
      ...(links.uses.length > MAX_ALIASES ? [{ at: links.uses[MAX_ALIASES]!, message: TOO_MANY_COPIES }] : []),
    ].toSorted((a, b) => a.at - b.at);
    if (faults.length > 0)
      return {
        problems: faults.slice(0, MAX_FAULTS).map(({ at, message }) => places.problem(at, message, 'yaml_invalid')),
      };
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, places };
  } catch (error) {
    return { problems: [{ line: 1, column: 1, message: unreadable(error), code: 'yaml_invalid' }] };
  }
}

/** A text of so many words would take the parser seconds; programs in `run` count as one. */
function tooManyWords(text: string): Problem | undefined {
  if (text.length < MAX_WORDS) return undefined;
  const words = new Lexer().lex(text);
  for (let n = 0; n < MAX_WORDS; n++) if (words.next().done === true) return undefined;
  const message = `the document has more than ${MAX_WORDS} words and signs of YAML; split it, or give long lists to a job as a file`;
  return { line: 1, column: 1, message, code: 'yaml_invalid' };
}

/** Characters that YAML does not allow, and that no program expects. */
const CONTROL = /(?![\t\n\r\u0085])\p{Cc}/u;

function controlFaults(text: string): { at: number; message: string }[] {
  const at = text.search(CONTROL);
  if (at < 0) return [];
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return [{ at, message: `the control character U+${code} cannot stand in YAML; remove it` }];
}

function worded(message: string): string {
  if (message.includes('Source contains multiple documents'))
    return 'a pipeline is one YAML document; remove the `---`';
  if (/[Tt]abs? /.test(message)) return 'a tab cannot indent YAML; use spaces';
  if (/call stack|stack overflow/i.test(message)) return TOO_DEEP;
  return message;
}

/** Aliases that nest, and brackets that nest too deep for the parser. */
function unreadable(error: unknown): string {
  if (error instanceof ReferenceError && error.message.includes('Excessive alias')) return TOO_MANY_COPIES;
  if (error instanceof ReferenceError) return error.message;
  if (error instanceof RangeError) return TOO_DEEP;
  throw error;
}

interface Found {
  key: Node | undefined;
  value: Node | undefined;
}

/** Where the parts of a document stand. */
export class Places {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #links: Links;

  constructor(parts: { document: Document; lines: LineCounter; text: string; links: Links }) {
    this.#document = parts.document;
    this.#lines = parts.lines;
    this.#text = parts.text;
    this.#links = parts.links;
  }

  problem(offset: number, message: string, code: string): Problem {
    const { line, col } = this.#lines.linePos(Math.min(offset, this.#text.length));
    return { line: Math.max(line, 1), column: Math.max(col, 1), message, code };
  }

  /** The value at a path, or what is nearest above it. */
  ofValue(path: Path): number {
    return this.#walk(path).value?.range?.[0] ?? this.ofKey(path);
  }

  /** The key at a path, or what is nearest above it; an item of a list is its own key. */
  ofKey(path: Path): number {
    return this.#walk(path).key?.range?.[0] ?? 0;
  }

  /** A place within a text: `nth` hole, and line and column of its expression. Without holes: of the whole text. */
  within(path: Path, nth: number | undefined, at: { line: number; column: number }): number {
    const node = this.#walk(path).value;
    if (!isScalar(node) || !node.range) return this.ofValue(path);
    const [start, end] = node.range;
    let offset = start + (this.#text[start] === '"' || this.#text[start] === "'" ? 1 : 0);
    for (let n = 0; n <= (nth ?? -1); n++) {
      const hole = this.#text.indexOf('${{', offset);
      if (hole < 0 || hole >= end) return start;
      offset = hole + 3;
    }
    for (let line = 1; line < at.line; line++) offset = this.#text.indexOf('\n', offset) + 1 || offset;
    return Math.min(offset + at.column - 1, end);
  }

  #walk(path: Path): Found {
    let value = this.#resolved(this.#document.contents as Node | null);
    let key = value;
    for (const step of path) {
      const next = this.#step(value, step);
      if (!next) return { key, value };
      ({ key, value } = next);
    }
    return { key, value };
  }

  #step(at: Node | undefined, step: string | number): Found | undefined {
    if (isSeq(at)) {
      const item = this.#resolved((at.items[Number(step)] ?? null) as Node | null);
      return item && { key: item, value: item };
    }
    if (!isMap(at)) return undefined;
    let merged: Found | undefined;
    for (const pair of at.items) {
      const key = pair.key as Node;
      const name = isScalar(key) ? key.value : undefined;
      if (String(name) === String(step)) return { key, value: this.#resolved(pair.value as Node | null) };
      if (name === '<<') merged ??= this.#step(this.#resolved(pair.value as Node | null), step);
    }
    return merged;
  }

  #resolved(node: Node | null): Node | undefined {
    return isAlias(node) ? this.#links.targets.get(node as Alias) : (node ?? undefined);
  }
}
