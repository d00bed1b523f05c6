import { isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import { MAX_ATTEMPTS } from '../../runs/contract.ts';
import { meant } from '../../schema/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';

/** An argument of a call, as far as the script says it. */
export interface Argument {
  /** Undefined where only a run knows it. Then it may be an option, too. */
  text?: string | undefined;
  /** What it begins with in any case. */
  begins?: string | undefined;
  /** It may be no argument at all, or several. */
  any_number?: boolean;
}

/** What is wrong with an argument; `at` is its number, and -1 is the verb. */
export interface ArgumentFault {
  at: number;
  message: string;
}

/** Verbs whose first argument says what is done, and what each of these takes: the arguments that must be, and all. */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  state: { get: ['key'], set: ['key', 'value'], delete: ['key'], list: [] },
  output: { set: ['key=text', '…'] },
  call: { node: ['kind'], graph: ['[name]'] },
};
/** `-5`, `- item`: values, as the verbs read them. */
const DASHED_VALUE = /^-(?:$|[\d.\s])/;
const EVENT_TYPE = /^[A-Za-z0-9._-]{1,64}$/;
const NUMBERED = /#\d+$/;
const RESERVED_SIGNALS = 'event:';
const MAX_SHOWN = 60;

/** Compares the arguments of calls with what the verbs say that they take. What a run makes up is not judged. */
export class VerbArguments {
  readonly #verbs = new Map<string, VerbHelp>();

  constructor(verbs: readonly VerbHelp[]) {
    for (const verb of verbs) this.#verbs.set(verb.verb, verb);
  }

  /** `words` stand behind `svc`. */
  faultsOf(words: readonly Argument[]): ArgumentFault[] {
    const [first = '', second = ''] = [words[0]?.text, words[1]?.text];
    const two = this.#verbs.get(`${first} ${second}`);
    const help = two ?? this.#verbs.get(first);
    if (!help || (help.args === undefined && help.flags === undefined)) return [];
    const skipped = two ? 2 : 1;
    const found = new CallCheck(help, words.slice(skipped)).run();
    return found.map(({ at, message }) => ({ at: at < 0 ? 0 : at + skipped, message }));
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
  readonly #found: ArgumentFault[] = [];
  readonly #positionals: Positional[] = [];
  /** Something that may be an option, or several arguments: how many positionals there are, nobody knows. */
  #unsure = false;

  constructor(help: VerbHelp, words: readonly Argument[]) {
    this.#help = help;
    this.#words = words;
  }

  run(): readonly ArgumentFault[] {
    const dashes = this.#words.findIndex(({ text }) => text === '--');
    const own = dashes < 0 ? this.#words : this.#words.slice(0, dashes);
    if (own.some(({ text }) => text === '--help' || text === '-h')) return [];
    this.#options(own);
    const takes_command = /-- <command>/.test(this.#help.usage);
    if (takes_command) this.#command(dashes);
    else if (dashes >= 0)
      for (const [n, word] of this.#words.slice(dashes + 1).entries()) this.#positional(dashes + 1 + n, word);
    this.#arguments();
    return this.#found;
  }

  #fault(at: number, message: string): void {
    this.#found.push({ at, message });
  }

  #says = (message: string): string => `\`svc ${this.#help.verb}\`${message}`;

  #positional(at: number, word: Argument): void {
    this.#positionals.push({ at, word });
    const known = word.text !== undefined || (word.begins !== undefined && word.begins !== '' && !word.any_number);
    if (!known || word.any_number) this.#unsure = true;
  }

  /** Options, wherever they stand; what is left are the positionals. */
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
        // Whether the next word is its value is not known.
        this.#unsure = true;
        continue;
      }
      if (seen.has(name) && flag.many !== true && flag.type !== 'boolean')
        this.#fault(at, this.#says(`: --${name} is given twice`));
      seen.add(name);
      if (flag.type === 'boolean') continue;
      if (inline.length > 0) this.#value(at, name, inline.join('='));
      else at = this.#nextValue(own, at, name);
    }
  }

  /** The value behind an option. Answers where it stands. */
  #nextValue(own: readonly Argument[], at: number, name: string): number {
    const next = own[at + 1];
    const missing = next === undefined || (next.text?.startsWith('-') === true && !DASHED_VALUE.test(next.text));
    if (missing) {
      this.#fault(at, this.#says(`: --${name} needs a value`));
      return at;
    }
    if (next.any_number === true) this.#unsure = true;
    if (next.text !== undefined) this.#value(at + 1, name, next.text);
    return at + 1;
  }

  #unknown(at: number, written: string, name: string): void {
    const near = meant(name, Object.keys(this.#help.flags ?? {}));
    const instead = near === undefined ? '' : `; did you mean --${near}?`;
    this.#fault(at, `${this.#says(` has no ${shown(written)}`)}${instead}`);
  }

  #value(at: number, name: string, text: string): void {
    const { type, value, choices } = this.#help.flags![name]!;
    if (value === '<duration>') this.#duration(at, text);
    else if (type === 'number') {
      const attempts = /^\d{1,4}$/.test(text) ? Number(text) : 0;
      if (value === '<attempts>' && (attempts < 1 || attempts > MAX_ATTEMPTS))
        this.#fault(at, `--${name} takes a number of attempts from 1 to ${MAX_ATTEMPTS}, not ${quoted(text)}`);
      else if (!/^\d+$/.test(text)) this.#fault(at, `--${name} takes a whole number, not ${quoted(text)}`);
    } else if (choices && !choices.includes(text) && !(name === 'as' && text === 'yaml'))
      this.#fault(at, `--${name} takes ${choices.join(', ')}, not ${quoted(text)}`);
  }

  #duration(at: number, text: string): void {
    const fault = durationFault(text);
    if (fault !== undefined) this.#fault(at, fault);
  }

  #command(dashes: number): void {
    const optional = /\[-- <command>/.test(this.#help.usage);
    if (dashes >= 0 && dashes === this.#words.length - 1)
      this.#fault(dashes, this.#says(': there is no command after --'));
    else if (dashes < 0 && !optional && !this.#unsure) {
      this.#fault(-1, this.#says(': the command is missing: write it after --'));
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
      this.#judge(at, word, argument.name);
    }
  }

  /** `svc state set <key> <value>`. */
  #operation(operations: Readonly<Record<string, readonly string[]>>): void {
    const [first, ...rest] = this.#positionals;
    const { verb } = this.#help;
    const { text } = first?.word ?? {};
    if (first && text === undefined) return;
    if (!first || text === undefined) {
      if (!this.#unsure) this.#fault(-1, this.#says(`: ${Object.keys(operations).join(', ')} is missing`));
      return;
    }
    const named = Object.hasOwn(operations, text) ? operations[text]! : undefined;
    if (!named)
      return this.#fault(
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
    if (missing !== undefined) return this.#fault(-1, `\`${called}\`: <${missing}> is missing`);
    const over = positionals[most];
    if (over) this.#fault(over.at, `\`${called}\`: ${quoted(over.word.text ?? '')} is one argument too many`);
  }

  /** Whether something that may be several arguments, or an option with a value, stands before. */
  #uncertainBefore = (n: number): boolean =>
    this.#positionals.slice(0, n).some(({ word }) => word.text === undefined && (word.begins ?? '') === '');

  #judge(at: number, { text, begins = text ?? '' }: Argument, name: string): void {
    const { verb } = this.#help;
    if (verb === 'wait-signal' && begins.startsWith(RESERVED_SIGNALS))
      return this.#fault(
        at,
        `names that begin with ${RESERVED_SIGNALS} are the engine's own; wait for an event with svc wait-event`,
      );
    if (text === undefined) return;
    if (text === '') return this.#fault(at, this.#says(`: <${name}> is empty`));
    if (name === 'duration') return this.#duration(at, text);
    if (name === 'type' && !EVENT_TYPE.test(text))
      return this.#fault(at, `${quoted(text)} is no type of an event: 1 to 64 characters from A-Z a-z 0-9 . _ -`);
    if (name === 'name' && verb !== 'wait-signal' && NUMBERED.test(text))
      this.#fault(at, `a name must not end with # and a number, which tell calls of one name apart: ${quoted(text)}`);
  }
}

/** What is wrong with the text of a duration. */
export function durationFault(text: string): string | undefined {
  try {
    parseDuration(text);
    return undefined;
  } catch (error) {
    if (isServiceError(error, 'duration_invalid')) return error.message;
    throw error;
  }
}

const shown = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

const quoted = (text: string): string => JSON.stringify(shown(text));
