import type { OutlineItem } from '../../../engine/runs/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { toArgument, toArguments } from '../lint/bash-arguments.ts';
import { parseCommands, parseScript, type SimpleCommand, type TextRange, type Word } from '../lint/bash-words.ts';
import { itemsOfWords } from './verb-items.ts';

/** Shell words before a command that are no part of it. */
const KEYWORDS = new Set('if then elif else do while until ! { } fi done esac coproc'.split(' '));
/** Programs that run the command after their options, the options that take the next word, and how many words come first. */
const PREFIXES: ReadonlyMap<string, { values?: RegExp; operands?: number }> = new Map([
  ['builtin', {}],
  ['command', {}],
  ['chroot', { operands: 1 }],
  ['doas', { values: /^-[uC]$/ }],
  ['env', { values: /^(?:-[uC]|--unset|--chdir)$/ }],
  ['exec', { values: /^-c?l?a$/ }],
  ['flock', { values: /^(?:-[wE]|--timeout|--conflict-exit-code)$/, operands: 1 }],
  ['ionice', { values: /^(?:-[cn]|--class|--classdata)$/ }],
  ['nice', { values: /^(?:-n|--adjustment)$/ }],
  ['nohup', {}],
  ['setsid', {}],
  ['stdbuf', { values: /^(?:-[ioe]|--input|--output|--error)$/ }],
  ['strace', { values: /^-[oeEsu]$/ }],
  ['sudo', { values: /^(?:-[ughpCrtTUDR]|--user|--group|--host|--prompt|--chdir|--chroot)$/ }],
  ['taskset', { operands: 1 }],
  ['time', { values: /^-[fo]$/ }],
  ['timeout', { values: /^(?:-[ks]|--kill-after|--signal)$/, operands: 1 }],
  ['watch', { values: /^(?:-n|--interval)$/ }],
]);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const SHELLS = /^(?:.*\/)?(?:ba|da|z|k)?sh$/;
/** Programs that run a file or a text that their arguments name. */
const RUNNERS = /^(?:.*\/)?(?:source|\.|alias|parallel|xargs|python3?|node|ruby|perl|deno|bun|php|go|npx)$/;
/** Those of them that run what they read, without arguments. */
const READERS = /^(?:.*\/)?(?:python3?|node|ruby|perl|deno|bun|php)$/;
const ASKS_VERSION = /^(?:-[vV]|--version|-h|--help)$/;
/** Programs whose arguments are never run. */
const PRINTERS = new Set(['echo', 'printf', ':', 'test', '[', '[[', 'read', 'export', 'local', 'return', 'exit']);
/** What looks like a call that matters, with or without quotes. */
const POSSIBLE_CALL =
  /\bsvc['"]?(?:[ \t]|\\\n)+['"]?(?:emit|wait-event|wait-any|lock|activity|activity-submit|id-token|spawn|call|run|submit|secret|credential|account|apply|answer|signal|resume|rerun|trigger|approve)\b/g;
/** Matches what stands before a pattern of `case`, which looks like a command. */
const BEFORE_PATTERN = /(?:;;&?|;&|\bin)\s*\(?\s*(?:[^\s()|]+\s*\|\s*)*$/;
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
    // `coproc NAME { …; }`
    else if (first.text === 'coproc' && words[2]?.text === '{') words = words.slice(3);
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
  readonly #read: TextRange[] = [];

  constructor(source: string, verbs: ReadonlyMap<string, VerbHelp>, first_line: number) {
    this.#source = source;
    this.#verbs = verbs;
    this.#first_line = first_line;
    const declared = source.matchAll(/^[ \t]*(?:function[ \t]+([\w-]+)|([\w-]+)[ \t]*\(\))/gm);
    this.#functions = new Set([...declared].map(([, keyword, plain]) => keyword ?? plain ?? ''));
  }

  run(): OutlineItem[] {
    if (this.#functions.has('svc')) this.#unknown(0, 'defines a function called svc');
    const { commands, comments } = parseScript(this.#source);
    this.#read.push(...comments);
    this.#commands(commands, 0);
    this.#missed();
    return this.#items;
  }

  #commands(commands: readonly SimpleCommand[], depth: number): void {
    for (const command of commands) this.#command(command, depth);
  }

  #command(command: SimpleCommand, depth: number): void {
    const words = commandWords(command);
    const [first] = words;
    if (!first || (depth === 0 && this.#isData(words))) return;
    if (first.text === 'for' || first.text === 'case') return;
    if (first.text === 'function') return this.#command(words.slice(2), depth);
    if (PRINTERS.has(first.text)) return this.#cover(words.filter(({ text }) => !/`|\$\(/.test(text)));
    const { text: program } = toArgument(first.text);
    if (program === undefined) {
      this.#unknown(first.offset, 'starts a program whose name is computed');
      return;
    }
    if (program === 'svc') return this.#call(words);
    if (PREFIXES.has(program)) return this.#prefixed(program, words, depth);
    if (PRINTERS.has(program)) return this.#cover(words.filter(({ text }) => !/`|\$\(/.test(text)));
    if (this.#functions.has(program)) return;
    if (SHELLS.test(program)) return this.#shell(words, depth);
    if (program === 'eval' || program === 'trap') return this.#evaluated(program, words, depth);
    if (program === 'find') return this.#find(words, depth);
    this.#program(program, words);
  }

  /** The items of an array, the operands of a calculation and the patterns of `case` are no commands, but look like some. */
  #isData(words: SimpleCommand): boolean {
    const { offset } = words[0]!;
    const before = this.#source.slice(Math.max(0, offset - MAX_BLANKS), offset);
    if (NO_COMMAND.test(before)) return true;
    const last = words.at(-1)!;
    return words.length === 1 && /^\s*[)|]/.test(this.#after(last)) && BEFORE_PATTERN.test(before);
  }

  #after = ({ text, offset }: Word): string => this.#source.slice(offset + text.length).slice(0, MAX_BLANKS);

  #program(program: string, words: SimpleCommand): void {
    const { offset } = words[0]!;
    const args = toArguments(words.slice(1)).map(({ argument }) => argument);
    const asks_version = args.length === 1 && ASKS_VERSION.test(args[0]!.text ?? '');
    const call = args.findIndex(({ text }, at) => text === 'svc' && this.#verbs.has(args[at + 1]?.text ?? ''));
    if (asks_version) return;
    if ((RUNNERS.test(program) && words.length > 1) || call >= 0) {
      this.#unread(words);
    } else if (READERS.test(program))
      this.#unknown(offset, `runs what ${program} reads from its standard input, which svc does not read`);
    else if (program.includes('/')) {
      this.#unknown(offset, `starts ${program}, which svc does not read`);
      this.#cover(words);
    }
  }

  #prefixed(program: string, words: SimpleCommand, depth: number): void {
    const { values, operands = 0 } = PREFIXES.get(program)!;
    let remaining = operands;
    for (let at = 1; at < words.length; at += 1) {
      const { text, begins = text ?? '' } = toArgument(words[at]!.text);
      if (program === 'command' && /^-p?[vV]/.test(begins)) return this.#cover(words);
      if (/^(?:-S|--split-string|-c|--command)/.test(begins) && /^(?:env|flock)$/.test(program))
        return this.#unread(words);
      if (values?.test(begins)) at += 1;
      else if (begins.startsWith('-') || ASSIGNMENT.test(begins)) continue;
      else if (remaining > 0) remaining -= 1;
      else if (depth < MAX_DEPTH) return this.#command(words.slice(at), depth + 1);
      else return this.#unread(words);
    }
  }

  #call(words: SimpleCommand): void {
    const arguments_found = toArguments(words.slice(1));
    // What follows the dashes of a step or a lock runs without an agent, so its verbs fail. Its commands may have a token.
    const dashes = arguments_found.findIndex(({ argument }) => argument.text === '--');
    this.#cover([words[0]!, ...arguments_found.slice(0, dashes < 0 ? undefined : dashes).map(({ word }) => word)]);
    const args = arguments_found.map(({ argument }) => argument);
    this.#items.push(...itemsOfWords(args, this.#verbs, { line: this.#line(words[0]!.offset) }));
  }

  #shell(words: SimpleCommand, depth: number): void {
    const { offset } = words[0]!;
    const at = words.findIndex(({ text }) => /^-[a-z]*c$/.test(text));
    if (at >= 0) return this.#text(words, words[at + 1], depth);
    if (words.length > 1) this.#unread(words);
    else this.#unknown(offset, `runs what ${words[0]!.text} reads from its standard input, which svc does not read`);
  }

  /** Reads the text that `eval` runs now, and `trap` later. */
  #evaluated(program: string, words: SimpleCommand, depth: number): void {
    const [first, second] = words.slice(1).filter(({ text }) => text !== '--');
    if (!first || (program === 'trap' && first.text.startsWith('-'))) return;
    if (program === 'trap' || !second) return this.#text(words, first, depth);
    this.#unread(words);
  }

  /** Reads a word that is a script. */
  #text(words: SimpleCommand, script: Word | undefined, depth: number): void {
    const text = script && toArgument(script.text).text;
    if (!script || text === undefined || depth >= MAX_DEPTH) {
      return this.#unread(words);
    }
    this.#cover([script]);
    const opening = /^['"]/.test(script.text) ? 1 : 0;
    this.#commands(parseCommands(text, script.offset + opening), depth + 1);
  }

  /** Reads the commands that `find` runs for each file. */
  #find(words: SimpleCommand, depth: number): void {
    for (const [at, { text }] of words.entries())
      if (/^-(?:exec|ok)(?:dir)?$/.test(text) && depth < MAX_DEPTH) this.#command(words.slice(at + 1), depth + 1);
  }

  /** Reports a command whose program svc does not read. */
  #unread(words: SimpleCommand): void {
    this.#unknown(words[0]!.offset, `runs ${shorten(words)}, which svc does not read`);
    this.#cover(words);
  }

  #cover(words: readonly Word[]): void {
    for (const { text, offset } of words) this.#read.push([offset, offset + text.length]);
  }

  /** Reports text that looks like a call and that the reader has not seen as one: in a here document, or an argument. */
  #missed(): void {
    for (const { 0: call, index } of this.#source.matchAll(POSSIBLE_CALL)) {
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
