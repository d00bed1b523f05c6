import { isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import { MAX_ATTEMPTS } from '../../../engine/runs/contract.ts';
import { suggestName } from '../../../platform/schema/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';

/** An argument of a call, as far as the script shows it. */
export interface Argument {
  /** Undefined if only a run knows it. It may then be an option, too. */
  text?: string | undefined;
  /** What it begins with in any case. */
  begins?: string | undefined;
  /** Whether it may be no argument at all, or several. */
  any_number?: boolean;
}

/** An error in an argument; `at` is its number, or -1 for the verb. */
export interface ArgumentProblem {
  at: number;
  message: string;
}

/** Verbs whose first argument is an operation, and what each takes: the required arguments, and all. */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  state: { get: ['key'], set: ['key', 'value'], delete: ['key'], list: [] },
  output: { set: ['key=text', '…'] },
  call: { node: ['kind'], graph: ['[name]'] },
};
/** Matches values such as `-5` and `- item`, as the verbs read them. */
const DASHED_VALUE = /^-(?:$|[\d.\s])/;
const EVENT_TYPE = /^[A-Za-z0-9._-]{1,64}$/;
const NUMBERED = /#\d+$/;
const RESERVED_SIGNALS = 'event:';
const MAX_QUOTED_LENGTH = 60;

/** Compares the arguments of calls with what the verbs accept. Values that only a run knows are not checked. */
export class VerbArguments {
  readonly #verbs = new Map<string, VerbHelp>();

  constructor(verbs: readonly VerbHelp[]) {
    for (const verb of verbs) this.#verbs.set(verb.verb, verb);
  }

  /** `words` are the words after `svc`. */
  findProblems(words: readonly Argument[]): ArgumentProblem[] {
    const [first = '', second = ''] = [words[0]?.text, words[1]?.text];
    const two = this.#verbs.get(`${first} ${second}`);
    const help = two ?? this.#verbs.get(first);
    if (!help || (help.args === undefined && help.flags === undefined)) return [];
    const skipped = two ? 2 : 1;
    const problems = new CallCheck(help, words.slice(skipped)).run();
    return problems.map(({ at, message }) => ({ at: at < 0 ? 0 : at + skipped, message }));
  }
}

/** A positional argument and its number. */
interface Positional {
  at: number;
  word: Argument;
}

class CallCheck {
  readonly #help: VerbHelp;
  readonly #words: readonly Argument[];
  readonly #problems: ArgumentProblem[] = [];
  readonly #positionals: Positional[] = [];
  /** Set after something that may be an option or several arguments, so that the number of positionals is unknown. */
  #unsure = false;

  constructor(help: VerbHelp, words: readonly Argument[]) {
    this.#help = help;
    this.#words = words;
  }

  run(): readonly ArgumentProblem[] {
    const dashes = this.#words.findIndex(({ text }) => text === '--');
    const verb_words = dashes < 0 ? this.#words : this.#words.slice(0, dashes);
    if (verb_words.some(({ text }) => text === '--help' || text === '-h')) return [];
    this.#options(verb_words);
    const takes_command = /-- <command>/.test(this.#help.usage);
    if (takes_command) this.#command(dashes);
    else if (dashes >= 0)
      for (const [n, word] of this.#words.slice(dashes + 1).entries()) this.#positional(dashes + 1 + n, word);
    this.#arguments();
    return this.#problems;
  }

  #addProblem(at: number, message: string): void {
    this.#problems.push({ at, message });
  }

  #describe = (message: string): string => `\`svc ${this.#help.verb}\`${message}`;

  #positional(at: number, word: Argument): void {
    this.#positionals.push({ at, word });
    const is_known = word.text !== undefined || (word.begins !== undefined && word.begins !== '' && !word.any_number);
    if (!is_known || word.any_number) this.#unsure = true;
  }

  /** Reads the options, wherever they are; what is left are the positionals. */
  #options(own: readonly Argument[]): void {
    const seen = new Set<string>();
    for (let at = 0; at < own.length; at += 1) {
      const word = own[at]!;
      const { text = '' } = word;
      if (!text.startsWith('-') || DASHED_VALUE.test(text)) {
        this.#positional(at, word);
        continue;
      }
      const [name = '', ...inline] = text.replace(/^--/, '').split('=');
      const flag = text.startsWith('--') ? this.#help.flags?.[name] : undefined;
      if (!flag) {
        this.#unknown(at, text.split('=', 1)[0]!, name);
        // Whether the next word is its value is unknown.
        this.#unsure = true;
        continue;
      }
      if (seen.has(name) && flag.many !== true && flag.type !== 'boolean')
        this.#addProblem(at, this.#describe(`: --${name} is set twice`));
      seen.add(name);
      if (flag.type === 'boolean') continue;
      if (inline.length > 0) this.#value(at, name, inline.join('='));
      else at = this.#nextValue(own, at, name);
    }
  }

  /** Reads the value after an option, and returns its position. */
  #nextValue(own: readonly Argument[], at: number, name: string): number {
    const next = own[at + 1];
    const missing = next === undefined || (next.text?.startsWith('-') === true && !DASHED_VALUE.test(next.text));
    if (missing) {
      this.#addProblem(at, this.#describe(`: --${name} needs a value`));
      return at;
    }
    if (next.any_number === true) this.#unsure = true;
    if (next.text !== undefined) this.#value(at + 1, name, next.text);
    return at + 1;
  }

  #unknown(at: number, written: string, name: string): void {
    const suggestion = suggestName(name, Object.keys(this.#help.flags ?? {}));
    const instead = suggestion === undefined ? '' : `; did you mean --${suggestion}?`;
    this.#addProblem(at, `${this.#describe(` has no ${shown(written)}`)}${instead}`);
  }

  #value(at: number, name: string, text: string): void {
    const { type, value, choices } = this.#help.flags![name]!;
    if (value === '<duration>') this.#duration(at, text);
    else if (type === 'number') {
      const attempts = /^\d{1,4}$/.test(text) ? Number(text) : 0;
      if (value === '<attempts>' && (attempts < 1 || attempts > MAX_ATTEMPTS))
        this.#addProblem(at, `--${name} needs a number of attempts from 1 to ${MAX_ATTEMPTS}, not ${quoted(text)}`);
      else if (!/^\d+$/.test(text)) this.#addProblem(at, `--${name} needs a whole number, not ${quoted(text)}`);
    } else if (choices && !choices.includes(text) && !(name === 'as' && text === 'yaml'))
      this.#addProblem(at, `--${name} takes ${choices.join(', ')}, not ${quoted(text)}`);
  }

  #duration(at: number, text: string): void {
    const fault = findDurationProblem(text);
    if (fault !== undefined) this.#addProblem(at, fault);
  }

  #command(dashes: number): void {
    const optional = /\[-- <command>/.test(this.#help.usage);
    if (dashes >= 0 && dashes === this.#words.length - 1)
      this.#addProblem(dashes, this.#describe(': there is no command after --'));
    else if (dashes < 0 && !optional && !this.#unsure) {
      this.#addProblem(-1, this.#describe(': the command is missing: write it after --'));
      // What stands there is probably the command.
      this.#unsure = true;
    }
  }

  #arguments(): void {
    const { verb, args } = this.#help;
    const operations = OPERATIONS[verb];
    if (operations) return this.#operation(operations);
    const named = (args ?? []).filter(({ name }) => name !== 'command');
    const least = named.filter(({ optional }) => optional !== true).map(({ name }) => name);
    const most = named.some(({ rest }) => rest === true) ? Number.POSITIVE_INFINITY : named.length;
    this.#count(this.#positionals, { least, most, called: `svc ${verb}` });
    for (const [n, { at, word }] of this.#positionals.entries()) {
      const argument = named[n];
      if (!argument || this.#uncertainBefore(n)) return;
      this.#checkArgument(at, word, argument.name);
    }
  }

  /** Reads for example `svc state set <key> <value>`. */
  #operation(operations: Readonly<Record<string, readonly string[]>>): void {
    const [first, ...rest] = this.#positionals;
    const { verb } = this.#help;
    const { text } = first?.word ?? {};
    if (first && text === undefined) return;
    if (!first || text === undefined) {
      if (!this.#unsure) this.#addProblem(-1, this.#describe(`: ${Object.keys(operations).join(', ')} is missing`));
      return;
    }
    const named = Object.hasOwn(operations, text) ? operations[text]! : undefined;
    if (!named)
      return this.#addProblem(
        first.at,
        Object.keys(operations).length === 1
          ? `${quoted(text)} is not ${Object.keys(operations)[0]}`
          : `${quoted(text)} is not ${Object.keys(operations).join(', ')}`,
      );
    const most = named.includes('…') ? Number.POSITIVE_INFINITY : named.length;
    const least = named.filter((name) => name !== '…' && !name.startsWith('['));
    this.#count(rest, { least, most, called: `svc ${verb} ${text}` });
  }

  #count(
    positionals: readonly Positional[],
    { least, most, called }: { least: readonly string[]; most: number; called: string },
  ): void {
    if (this.#unsure) return;
    const missing = least[positionals.length];
    if (missing !== undefined) return this.#addProblem(-1, `\`${called}\`: <${missing}> is missing`);
    const over = positionals[most];
    if (over) this.#addProblem(over.at, `\`${called}\`: ${quoted(over.word.text ?? '')} is an extra argument`);
  }

  /** Whether something before may be several arguments, or an option with a value. */
  #uncertainBefore = (n: number): boolean =>
    this.#positionals.slice(0, n).some(({ word }) => word.text === undefined && (word.begins ?? '') === '');

  #checkArgument(at: number, { text, begins = text ?? '' }: Argument, name: string): void {
    const { verb } = this.#help;
    if (verb === 'wait-signal' && begins.startsWith(RESERVED_SIGNALS))
      return this.#addProblem(
        at,
        `names that begin with ${RESERVED_SIGNALS} are reserved for the engine; wait for an event with svc wait-event`,
      );
    if (text === undefined) return;
    if (text === '') return this.#addProblem(at, this.#describe(`: <${name}> is empty`));
    if (name === 'duration') return this.#duration(at, text);
    if (name === 'type' && !EVENT_TYPE.test(text))
      return this.#addProblem(at, `${quoted(text)} is not an event type: 1 to 64 characters from A-Z a-z 0-9 . _ -`);
    if (name === 'name' && verb !== 'wait-signal' && NUMBERED.test(text))
      this.#addProblem(
        at,
        `a name must not end with # and a number, which distinguish calls with the same name: ${quoted(text)}`,
      );
  }
}

/** Returns what is wrong with the text of a duration. */
export function findDurationProblem(text: string): string | undefined {
  try {
    parseDuration(text);
    return undefined;
  } catch (error) {
    if (isServiceError(error, 'duration_invalid')) return error.message;
    throw error;
  }
}

const shown = (text: string): string =>
  text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;

const quoted = (text: string): string => JSON.stringify(shown(text));
