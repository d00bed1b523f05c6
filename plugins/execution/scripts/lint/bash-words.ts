/** One word of a shell script, as written, with its quotes. */
export interface Word {
  text: string;
  /** Offset of its first character in the script. */
  offset: number;
}

/** A command of plain words: everything between two operators or line ends. */
export type SimpleCommand = readonly Word[];

/** Offsets of the first character, and of the one after the last. */
export type TextRange = readonly [from: number, to: number];

const BREAKS = new Set([';', '&', '|', '(', ')', '\n']);
const BLANKS = new Set([' ', '\t', '\r']);
/** Maximum depth of nested substitutions; deeper ones count as part of their word. */
const MAX_DEPTH = 50;
/**
 * Maximum characters of all substitutions together, because each level is read again; the rest counts as part of its
 * word.
 */
const MAX_INNER = 256 * 1024;

/** What the splitters of one script share. */
interface Split {
  commands: SimpleCommand[];
  comments: TextRange[];
  /** Characters of substitutions that may still be read. */
  remaining_chars: number;
}

/**
 * Splits a bash script into commands. Commands within substitutions are listed too, before the one that contains
 * them. Here documents are left out, except for the substitutions in them. It never fails: what it does not understand
 * becomes words.
 */
export const parseCommands = (source: string, base = 0): SimpleCommand[] => parseScript(source, base).commands;

/** Like `parseCommands`, with the places of comments. */
export function parseScript(source: string, base = 0): { commands: SimpleCommand[]; comments: TextRange[] } {
  const split: Split = { commands: [], comments: [], remaining_chars: MAX_INNER };
  new Splitter({ source, base, depth: 0, split }).run();
  return split;
}

interface SourceSection {
  source: string;
  /** Offset of this part in the script. */
  base: number;
  depth: number;
  split: Split;
}

class Splitter {
  readonly #source: string;
  readonly #base: number;
  readonly #depth: number;
  readonly #split: Split;
  #words: Word[] = [];
  #at = 0;
  #heredocs: { end: string; tabs: boolean; is_quoted: boolean }[] = [];
  /** The end of a calculation in `((…))`, where `<<` shifts bits. */
  #calculation_end = 0;

  constructor({ source, base, depth, split }: SourceSection) {
    this.#source = source;
    this.#base = base;
    this.#depth = depth;
    this.#split = split;
  }

  run(): void {
    while (this.#at < this.#source.length) {
      const sign = this.#source[this.#at]!;
      if (sign === '\n') this.#endLine();
      else if (BLANKS.has(sign)) this.#at++;
      else if (sign === '\\' && this.#source[this.#at + 1] === '\n') this.#at += 2;
      else if (sign === '#') this.#comment();
      else if (this.#isHeredoc()) this.#heredoc();
      else if (BREAKS.has(sign)) this.#break();
      else this.#word();
    }
    this.#endCommand();
  }

  #endCommand(): void {
    if (this.#words.length > 0) this.#split.commands.push(this.#words);
    this.#words = [];
  }

  #break(): void {
    this.#endCommand();
    if (this.#source.startsWith('((', this.#at)) {
      const end = closing(this.#source, this.#at, '(', ')');
      if (this.#source.endsWith('))', end)) this.#calculation_end = Math.max(end, this.#calculation_end);
    }
    this.#at++;
  }

  #comment(): void {
    const to = this.#lineEnd(this.#at);
    this.#split.comments.push([this.#base + this.#at, this.#base + to]);
    this.#at = to;
  }

  #isHeredoc = (): boolean =>
    this.#source.startsWith('<<', this.#at) && this.#source[this.#at + 2] !== '<' && this.#at >= this.#calculation_end;

  #endLine(): void {
    this.#break();
    for (const { end, tabs, is_quoted } of this.#heredocs.splice(0)) {
      const from = this.#at;
      this.#skipHeredoc(end, tabs);
      if (!is_quoted) this.#substitutions(from, this.#at);
    }
  }

  #skipHeredoc(end: string, tabs: boolean): void {
    while (this.#at < this.#source.length) {
      const to = this.#lineEnd(this.#at);
      const line = this.#source.slice(this.#at, to);
      this.#at = Math.min(to + 1, this.#source.length);
      if ((tabs ? line.replace(/^\t+/, '') : line) === end) return;
    }
  }

  /** Reads the commands within a text that bash expands, and goes on after it. */
  #substitutions(from: number, to: number): void {
    this.#at = from;
    while (this.#at < to) {
      const sign = this.#source[this.#at];
      if (sign === '\\') this.#at += 2;
      else if (sign === '$' || sign === '`') this.#expansion();
      else this.#at++;
    }
    this.#at = to;
  }

  #heredoc(): void {
    const [all = '<<', dash = '', word = ''] =
      /^<<(-?)[ \t]*((?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|()<>'"\\])*)/.exec(
        this.#source.slice(this.#at, this.#at + 200),
      ) ?? [];
    this.#at += all.length;
    const end = word.replaceAll(/['"\\]/g, '');
    if (word !== '') this.#heredocs.push({ end, tabs: dash !== '', is_quoted: end !== word });
  }

  #lineEnd(from: number): number {
    const end = this.#source.indexOf('\n', from);
    return end < 0 ? this.#source.length : end;
  }

  #word(): void {
    const from = this.#at;
    while (this.#at < this.#source.length) {
      const sign = this.#source[this.#at]!;
      if (BLANKS.has(sign) || BREAKS.has(sign)) break;
      this.#splitInner(sign);
    }
    this.#words.push({ text: this.#source.slice(from, this.#at), offset: this.#base + from });
  }

  #splitInner(sign: string): void {
    if (sign === '\\') this.#at += 2;
    else if (sign === "'") this.#at = this.#after("'", this.#at + 1);
    else if (sign === '"') this.#double();
    else if (sign === '$' && this.#source[this.#at + 1] === "'")
      this.#at = afterEscaped(this.#source, this.#at + 2, "'");
    else if (sign === '$' || sign === '`') this.#expansion();
    else this.#at++;
  }

  #after(end: string, from: number): number {
    const found = this.#source.indexOf(end, from);
    return found < 0 ? this.#source.length : found + end.length;
  }

  #double(): void {
    this.#at++;
    while (this.#at < this.#source.length) {
      const sign = this.#source[this.#at]!;
      if (sign === '"') {
        this.#at++;
        return;
      }
      if (sign === '\\') this.#at += 2;
      else if (sign === '$' || sign === '`') this.#expansion();
      else this.#at++;
    }
  }

  /** Reads `$(…)`, `` `…` ``, `${…}` or a name. */
  #expansion(): void {
    const next = this.#source[this.#at + 1];
    if (this.#source[this.#at] === '`')
      return this.#inner(this.#at + 1, afterEscaped(this.#source, this.#at + 1, '`'), 1);
    if (next === '(') return this.#inner(this.#at + 2, closing(this.#source, this.#at + 1, '(', ')'), 1);
    // Commands may be within it: `${x:-$(…)}`.
    if (next === '{') this.#substitutions(this.#at + 2, closing(this.#source, this.#at + 1, '{', '}'));
    else this.#at++;
  }

  #inner(from: number, to: number, ending: number): void {
    this.#at = to;
    const source = this.#source.slice(from, to - ending);
    if (this.#depth >= MAX_DEPTH || source.length > this.#split.remaining_chars) return;
    this.#split.remaining_chars -= source.length;
    new Splitter({ source, base: this.#base + from, depth: this.#depth + 1, split: this.#split }).run();
  }
}

/** Returns the position after `end`; a backslash before a character makes it a part of the text. */
function afterEscaped(source: string, from: number, end: string): number {
  for (let at = from; at < source.length; at++)
    if (source[at] === '\\') at++;
    else if (source[at] === end) return at + 1;
  return source.length;
}

/** Returns the position after the bracket that closes the one at `from`; brackets in quotes and comments do not count. */
function closing(source: string, from: number, open: string, close: string, nesting = 0): number {
  let depth = 0;
  let has_open_quote = false;
  for (let at = from; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === '\\') at++;
    else if (sign === "'") at = Math.max(source.indexOf("'", at + 1), at);
    else if (sign === '"' && !has_open_quote) {
      const end = closingQuote(source, at + 1, nesting + 1);
      if (end === undefined && nesting > 0) return source.length;
      // A quote that nothing closes may be in a here document, where it is a plain character.
      if (end === undefined) has_open_quote = true;
      else at = end - 1;
    } else if (sign === '#' && open === '(' && /[\s;(]/.test(source[at - 1] ?? '')) {
      const line_end = source.indexOf('\n', at);
      if (line_end < 0) return source.length;
      at = line_end;
    } else if (sign === open) depth++;
    else if (sign === close && --depth === 0) return at + 1;
  }
  return source.length;
}

/** Returns the position after the closing double quote. Quotes within `$(…)` are quotes of their own. */
function closingQuote(source: string, from: number, nesting: number): number | undefined {
  for (let at = from; at < source.length; at++)
    if (source[at] === '\\') at++;
    else if (source[at] === '"') return at + 1;
    else if (source.startsWith('$(', at) && nesting < MAX_DEPTH) at = closing(source, at + 1, '(', ')', nesting) - 1;
  return undefined;
}
