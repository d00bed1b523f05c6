/** One word of a shell script, as written, with its quotes. */
export interface Word {
  text: string;
  /** Offset of its first character in the script. */
  offset: number;
}

/** A command of plain words: everything between two operators or line ends. */
export type SimpleCommand = readonly Word[];

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
  /** Characters of substitutions that may still be read. */
  remaining_chars: number;
}

/**
 * Splits a bash script into commands. Commands within substitutions are listed too, before the one that contains
 * them. Here documents are left out. It never fails: what it does not understand becomes words.
 */
export function parseCommands(source: string, base = 0): SimpleCommand[] {
  const split: Split = { commands: [], remaining_chars: MAX_INNER };
  new Splitter({ source, base, depth: 0, split }).run();
  return split.commands;
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
  #heredocs: { end: string; tabs: boolean }[] = [];

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
      else if (sign === '#') this.#at = this.#lineEnd(this.#at);
      else if (this.#source.startsWith('<<', this.#at) && this.#source[this.#at + 2] !== '<') this.#heredoc();
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
    this.#at++;
  }

  #endLine(): void {
    this.#break();
    for (const { end, tabs } of this.#heredocs.splice(0)) this.#skipHeredoc(end, tabs);
  }

  #skipHeredoc(end: string, tabs: boolean): void {
    while (this.#at < this.#source.length) {
      const to = this.#lineEnd(this.#at);
      const line = this.#source.slice(this.#at, to);
      this.#at = Math.min(to + 1, this.#source.length);
      if ((tabs ? line.replace(/^\t+/, '') : line) === end) return;
    }
  }

  #heredoc(): void {
    const [all = '<<', dash = '', word = ''] =
      /^<<(-?)[ \t]*([^\s;&|()<>]*)/.exec(this.#source.slice(this.#at, this.#at + 200)) ?? [];
    this.#at += all.length;
    if (word !== '') this.#heredocs.push({ end: word.replaceAll(/['"\\]/g, ''), tabs: dash !== '' });
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

  /** Reads `$(…)`, `` `…` ``, `${…}`, `$'…'` or a name. */
  #expansion(): void {
    const next = this.#source[this.#at + 1];
    if (this.#source[this.#at] === '`') return this.#inner(this.#at + 1, this.#after('`', this.#at + 1), 1);
    if (next === '(') return this.#inner(this.#at + 2, closing(this.#source, this.#at + 1, '(', ')'), 1);
    if (next === '{') this.#at = closing(this.#source, this.#at + 1, '{', '}');
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

/** Returns the position after the bracket that closes the one at `from`; quoted brackets do not count. */
function closing(source: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const sign = source[at]!;
    if (sign === '\\') at++;
    else if (sign === "'") at = Math.max(source.indexOf("'", at + 1), at);
    else if (sign === open) depth++;
    else if (sign === close && --depth === 0) return at + 1;
  }
  return source.length;
}
