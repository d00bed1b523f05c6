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
import type { Problem } from '../../../engine/runs/contract.ts';
import { collectLinks, type Links } from './links.ts';

export type Path = readonly (string | number)[];

/** Uses of anchors; every use counts once for each anchor that it stands within. */
const MAX_ALIASES = 1000;

const MAX_WORDS = 250_000;

/** The first ones name the cause; the others are often its consequences. */
const MAX_ERRORS = 10;

const INTEGER_TAG = 'tag:yaml.org,2002:int';

/** Reads integers beyond 2^53 as bigints. The library reads them as doubles, or all integers as bigints. */
const withExactNumbers = (tags: Tags): Tags =>
  tags.map((tag) =>
    typeof tag === 'object' && tag.tag === INTEGER_TAG && tag.collection === undefined ? withExactIntegers(tag) : tag,
  );

const withExactIntegers = (tag: ScalarTag): ScalarTag => ({
  ...tag,
  resolve(text, onError, options) {
    const value = tag.resolve(text, onError, options);
    return Number.isSafeInteger(value) ? value : tag.resolve(text, onError, { ...options, intAsBigInt: true });
  },
});

const TOO_MANY_COPIES = `its anchors expand to more than ${MAX_ALIASES} copies; write the values where they are needed`;
const TOO_DEEP = 'the document is nested too deeply';

/** A YAML document with the place of each of its parts. */
export interface Source {
  value: unknown;
  positions: PositionIndex;
}

/** Reads a document. Returns problems when it is not YAML, or not a single document. */
export function readSource(text: string): Source | { problems: Problem[] } {
  const lines = new LineCounter();
  const large = tooManyWords(text);
  if (large) return { problems: [large] };
  try {
    // The parser compares each key of a map with all others; `linked` finds those that occur twice in one walk.
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      merge: true,
      customTags: withExactNumbers,
    });
    const links = collectLinks(document);
    const positions = new PositionIndex({ document, lines, text, links });
    const errors = [
      ...findControlCharacter(text),
      ...[...document.errors, ...document.warnings].map(({ pos, message }) => ({
        at: pos[0],
        message: rewordMessage(message),
      })),
      // The library would write such a key as text, and nest it again within other keys.
      ...links.collections.map((at) => ({ at, message: 'a list or a map cannot be a key; write a string' })),
      ...links.twice.map((at) => ({ at, message: 'this key occurs twice in one map; remove one of them' })),
      ...(links.uses.length > MAX_ALIASES ? [{ at: links.uses[MAX_ALIASES]!, message: TOO_MANY_COPIES }] : []),
    ].toSorted((a, b) => a.at - b.at);
    if (errors.length > 0)
      return {
        problems: errors
          .slice(0, MAX_ERRORS)
          .map(({ at, message }) => positions.problemAt(at, message, 'yaml_invalid')),
      };
    return { value: document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown, positions };
  } catch (error) {
    return { problems: [{ line: 1, column: 1, message: explainUnreadable(error), code: 'yaml_invalid' }] };
  }
}

/** A longer document would block the parser for seconds. A program in `run` counts as one word. */
function tooManyWords(text: string): Problem | undefined {
  if (text.length < MAX_WORDS) return undefined;
  const words = new Lexer().lex(text);
  for (let n = 0; n < MAX_WORDS; n++) if (words.next().done === true) return undefined;
  const message = `the document has more than ${MAX_WORDS} YAML tokens; split it, or pass long lists to a job as a file`;
  return { line: 1, column: 1, message, code: 'yaml_invalid' };
}

/** Characters that YAML does not allow, and that no program expects. */
const CONTROL = /(?![\t\n\r\u0085])\p{Cc}/u;

function findControlCharacter(text: string): { at: number; message: string }[] {
  const at = text.search(CONTROL);
  if (at < 0) return [];
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return [{ at, message: `YAML cannot contain the control character U+${code}; remove it` }];
}

function rewordMessage(message: string): string {
  if (message.includes('Source contains multiple documents'))
    return 'a pipeline is one YAML document; remove the `---`';
  if (/[Tt]abs? /.test(message)) return 'a tab cannot indent YAML; use spaces';
  if (/call stack|stack overflow/i.test(message)) return TOO_DEEP;
  if (message.includes('block sequence may not be used')) return 'a list cannot start here; check its indentation';
  if (message.includes('Implicit keys need to be on a single line'))
    return 'a key must be on one line; check the indentation and the quotes';
  if (message.includes('Implicit map keys need to be followed'))
    return 'a `:` is missing after the key; check the indentation as well';
  return message;
}

/** Aliases that nest, and brackets that nest too deep for the parser. */
function explainUnreadable(error: unknown): string {
  if (error instanceof ReferenceError && error.message.includes('Excessive alias')) return TOO_MANY_COPIES;
  if (error instanceof ReferenceError) return error.message;
  if (error instanceof RangeError) return TOO_DEEP;
  throw error;
}

interface YamlEntry {
  key: Node | undefined;
  value: Node | undefined;
}

/** Finds the positions of the parts of a document. */
export class PositionIndex {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #text: string;
  readonly #links: Links;

  constructor(sources: { document: Document; lines: LineCounter; text: string; links: Links }) {
    this.#document = sources.document;
    this.#lines = sources.lines;
    this.#text = sources.text;
    this.#links = sources.links;
  }

  problemAt(offset: number, message: string, code: string): Problem {
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

  /**
   * Returns the offset of a position within the expression number `nth` of a text, or within the whole text when `nth`
   * is undefined.
   */
  ofExpression(path: Path, nth: number | undefined, at: { line: number; column: number }): number {
    const node = this.#walk(path).value;
    if (!isScalar(node) || !node.range) return this.ofValue(path);
    const [start, end] = node.range;
    let offset = start + (this.#text[start] === '"' || this.#text[start] === "'" ? 1 : 0);
    for (let n = 0; n <= (nth ?? -1); n++) {
      const start = this.#text.indexOf('${{', offset);
      if (start < 0 || start >= end) return start;
      offset = start + 3;
    }
    for (let line = 1; line < at.line; line++) offset = this.#text.indexOf('\n', offset) + 1 || offset;
    return Math.min(offset + at.column - 1, end);
  }

  #walk(path: Path): YamlEntry {
    let value = this.#resolveAlias(this.#document.contents as Node | null);
    let key = value;
    for (const step of path) {
      const next = this.#child(value, step);
      if (!next) return { key, value };
      ({ key, value } = next);
    }
    return { key, value };
  }

  #child(at: Node | undefined, step: string | number): YamlEntry | undefined {
    if (isSeq(at)) {
      const item = this.#resolveAlias((at.items[Number(step)] ?? null) as Node | null);
      return item && { key: item, value: item };
    }
    if (!isMap(at)) return undefined;
    let merged: YamlEntry | undefined;
    for (const pair of at.items) {
      const key = pair.key as Node;
      const name = isScalar(key) ? key.value : undefined;
      if (String(name) === String(step)) return { key, value: this.#resolveAlias(pair.value as Node | null) };
      if (name === '<<') merged ??= this.#child(this.#resolveAlias(pair.value as Node | null), step);
    }
    return merged;
  }

  #resolveAlias(node: Node | null): Node | undefined {
    return isAlias(node) ? this.#links.targets.get(node as Alias) : (node ?? undefined);
  }
}
