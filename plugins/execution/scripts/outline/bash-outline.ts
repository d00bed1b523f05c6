import type { OutlineItem } from '../../../engine/runs/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { toArgument, toArguments } from '../lint/bash-arguments.ts';
import { parseCommands, type SimpleCommand, type Word } from '../lint/bash-words.ts';
import { itemsOfWords } from './verb-items.ts';

/** Shell words before a command that are no part of it. */
const KEYWORDS = new Set('if then elif else do while until ! { } time fi done esac'.split(' '));
/** Programs that run the command which follows them and their options. */
const PREFIXES = new Set('env exec command nohup nice setsid builtin sudo'.split(' '));
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const SHELLS = /^(?:.*\/)?(?:ba|da|z|k)?sh$/;
/** Programs that run a file or a text that their arguments name. */
const RUNNERS = /^(?:.*\/)?(?:eval|source|\.|xargs|python3?|node|ruby|perl|deno|bun|php|go|npx)$/;
/** Programs whose arguments are never run. */
const PRINTERS = new Set(['echo', 'printf', ':', 'test', '[', '[[', 'read', 'export', 'local', 'return', 'exit']);
/** What looks like a call of a verb that this reads. */
const POSSIBLE_CALL =
  /\bsvc[ \t]+(?:emit|wait-event|wait-any|lock|activity|activity-submit|id-token|spawn|call|run|submit)\b/g;
const MAX_DEPTH = 8;
/** Matches what stands before the first item of an array, or the first operand of a calculation. */
const NO_COMMAND = /(?:=\(|\(\()\s*$/;
const MAX_BLANKS = 64;
/** Matches a redirection before a command, with its target in the word or as the next one. */
const REDIRECTION = /^(?:\d*|&)(?:<<<|<>|>>|>\||[<>])(.*)$/s;

/** Returns the words of a command from its program on. */
function commandWords(command: SimpleCommand): SimpleCommand {
  let words = command;
  for (let [first] = words; first; [first] = words) {
    const redirection = REDIRECTION.exec(first.text);
    if (redirection) words = words.slice(redirection[1] === '' ? 2 : 1);
    else if (KEYWORDS.has(first.text) || ASSIGNMENT.test(first.text)) words = words.slice(1);
    else break;
  }
  return words;
}

/** Lists what a bash script may do: the verbs that it calls, and the programs in which nobody can see calls. */
export function outlineBash(source: string, verbs: ReadonlyMap<string, VerbHelp>, first_line = 1): OutlineItem[] {
  return new BashOutline(source, verbs, first_line).run();
}

class BashOutline {
  readonly #source: string;
  readonly #verbs: ReadonlyMap<string, VerbHelp>;
  readonly #first_line: number;
  readonly #items: OutlineItem[] = [];
  readonly #functions: ReadonlySet<string>;
  /** Ranges of the text whose calls were read, or are never made. */
  readonly #read: [from: number, to: number][] = [];

  constructor(source: string, verbs: ReadonlyMap<string, VerbHelp>, first_line: number) {
    this.#source = source;
    this.#verbs = verbs;
    this.#first_line = first_line;
    const declared = source.matchAll(/^[ \t]*(?:function[ \t]+([\w-]+)|([\w-]+)[ \t]*\(\))/gm);
    this.#functions = new Set([...declared].map(([, keyword, plain]) => keyword ?? plain ?? ''));
  }

  run(): OutlineItem[] {
    if (this.#functions.has('svc')) this.#unknown(0, 'defines a function called svc');
    this.#commands(parseCommands(this.#source), 0);
    this.#unread();
    return this.#items;
  }

  #commands(commands: readonly SimpleCommand[], depth: number): void {
    for (const command of commands) this.#command(command, depth);
  }

  #command(command: SimpleCommand, depth: number): void {
    const words = commandWords(command);
    const [first] = words;
    // The items of an array and the operands of a calculation are no commands, but look like some.
    if (!first || NO_COMMAND.test(this.#source.slice(Math.max(0, first.offset - MAX_BLANKS), first.offset))) return;
    if (first.text === 'for' || first.text === 'case' || first.text === 'function') return;
    const program = toArgument(first.text);
    if (program.text === undefined) {
      this.#unknown(first.offset, 'starts a program whose name is computed');
      return;
    }
    if (program.text === 'svc') return this.#call(words);
    if (PREFIXES.has(program.text)) return this.#prefixed(words, depth);
    if (PRINTERS.has(program.text)) return this.#cover(words);
    if (this.#functions.has(program.text)) return;
    if (SHELLS.test(program.text)) return this.#shell(words, depth);
    if (RUNNERS.test(program.text) && words.length > 1)
      this.#unknown(first.offset, `runs ${shorten(words)}, which svc does not read`);
    else if (program.text.includes('/')) this.#unknown(first.offset, `starts ${program.text}, which svc does not read`);
  }

  #prefixed(words: SimpleCommand, depth: number): void {
    const next = words.findIndex(({ text }, at) => at > 0 && !text.startsWith('-') && !ASSIGNMENT.test(text));
    if (next > 0 && depth < MAX_DEPTH) this.#command(words.slice(next), depth + 1);
  }

  #call(words: SimpleCommand): void {
    // What follows the dashes of a step or a lock runs without an agent, so its verbs fail.
    this.#cover(words);
    const args = toArguments(words.slice(1)).map(({ argument }) => argument);
    this.#items.push(...itemsOfWords(args, this.#verbs, { line: this.#line(words[0]!.offset) }));
  }

  #shell(words: SimpleCommand, depth: number): void {
    const at = words.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
    const script = at < 0 ? undefined : words[at + 1];
    const text = script && toArgument(script.text).text;
    if (!script || text === undefined || depth >= MAX_DEPTH) {
      if (words.length > 1) this.#unknown(words[0]!.offset, `runs ${shorten(words)}, which svc does not read`);
      return;
    }
    this.#cover([script]);
    // The quotes move the text by one character, which does not change its line.
    this.#commands(parseCommands(text, script.offset), depth + 1);
  }

  #cover(words: readonly Word[]): void {
    for (const { text, offset } of words) this.#read.push([offset, offset + text.length]);
  }

  /** Reports text that looks like a call and that the reader has not seen as one: in a here document, or an argument. */
  #unread(): void {
    for (const { 0: call, index } of this.#source.matchAll(POSSIBLE_CALL)) {
      const line_start = this.#source.lastIndexOf('\n', index) + 1;
      if (/(^|\s)#/.test(this.#source.slice(line_start, index))) continue;
      if (this.#read.some(([from, to]) => index >= from && index < to)) continue;
      this.#unknown(index, `contains \`${call}\` where svc cannot read it`);
    }
  }

  #unknown(offset: number, what: string): void {
    this.#items.push({ does: 'unknown', what, line: this.#line(offset) });
  }

  #line(offset: number): number {
    let line = this.#first_line;
    for (let at = this.#source.indexOf('\n'); at >= 0 && at < offset; at = this.#source.indexOf('\n', at + 1)) line++;
    return line;
  }
}

const MAX_QUOTED = 60;

function shorten(words: readonly Word[]): string {
  const text = words.map((word) => word.text).join(' ');
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}
