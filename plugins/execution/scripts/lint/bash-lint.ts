import type { Problem } from '../../../engine/runs/contract.ts';
import { toArguments } from './bash-arguments.ts';
import { parseCommands, type SimpleCommand, type Word } from './bash-words.ts';
import { unknownVerb } from './suggestions.ts';
import { VerbArguments } from './verb-arguments.ts';

/** Maximum warnings for one script. */
const MAX_WARNINGS = 50;
const NO_ARGUMENTS = new VerbArguments([]);
/** Matches what differs from pass to pass. */
const VARYING =
  /\$\{?(RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|BASHPID|\$)\b|\$\$|(\$\(|`)\s*(date|uuidgen|mktemp|shuf)\b|\/random\/uuid/;
/** Only the beginning of longer words is examined, and of longer reasons shown. */
const MAX_WORD = 4096;
const MAX_REASON = 300;
/** Matches a variable that is read unchanged. */
const READ = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
const ASSIGNED = /^(?:export\s+)?([A-Za-z_]\w*)=/;
const BLOCK_STARTS = new Set(['if', 'while', 'until', 'case', 'elif', 'for', 'select']);
const BODY_STARTS = new Set(['then', 'do']);
const BLOCK_ENDS = new Set(['fi', 'done', 'esac']);
const SHELLS = /^(?:.*\/)?(?:ba|da|z|k)?sh$/;
const RUNS_TEXT = /^-[a-z]*c$/;
/** Verbs that a replay does not compare. */
export const NOT_DURABLE = new Set(['input', 'output', 'annotate', 'id-token']);

/**
 * Reports what a bash script does that its replay will probably not repeat, and calls that a verb would reject.
 * `verbs` are the words after `svc`, and `taken` says what arguments they take.
 */
export function lintBash(source: string, verbs: ReadonlySet<string>, verb_arguments = NO_ARGUMENTS): Problem[] {
  if (!/\bsvc\b/.test(source)) return [];
  const lint = new BashLint(source, verbs, verb_arguments);
  return lint.run();
}

/** Returns the verb that the words of a command call, and its word; undefined for a word that is not literal. */
export function verbInCommand(
  words: readonly (string | undefined)[],
  verbs: ReadonlySet<string>,
): { word: number; verb: string } | undefined {
  const [program, option = '', script = ''] = words;
  if (program === 'svc') return verbs.has(option) ? { word: 0, verb: option } : undefined;
  if (!SHELLS.test(program ?? '') || !RUNS_TEXT.test(option)) return undefined;
  const inner = parseCommands(script).find(([first, second]) => first?.text === 'svc' && verbs.has(second?.text ?? ''));
  return inner && { word: 2, verb: inner[1]!.text };
}

/** Nothing is expanded between single quotes. */
const expandedIn = (text: string): string => text.replaceAll(/'[^']*'/g, '');

interface Block {
  /** The varying word of its condition. */
  varies: Word | undefined;
  inBody: boolean;
}

class BashLint {
  readonly #source: string;
  readonly #verbs: ReadonlySet<string>;
  readonly #verb_arguments: VerbArguments;
  /** The script has a function of this name, which may take anything. */
  readonly #overrides_svc: boolean;
  readonly #problems: Problem[] = [];
  /** Variables whose last value varies, with the reason. */
  readonly #varying = new Map<string, string>();
  readonly #blocks: Block[] = [];
  readonly #set = new Set<string>();
  readonly #inBodies = new Map<string, Word>();
  /** Positions that have a warning. */
  readonly #warned = new Set<string>();
  #lineStarts: number[] | undefined;

  constructor(source: string, verbs: ReadonlySet<string>, taken: VerbArguments) {
    this.#source = source;
    this.#verbs = verbs;
    this.#verb_arguments = taken;
    this.#overrides_svc = /^[ \t]*(?:function[ \t]+svc\b|svc[ \t]*\(\))/m.test(source);
  }

  run(): Problem[] {
    const commands = parseCommands(this.#source);
    for (const command of commands) this.#command(command);
    this.#lostVariables(commands);
    return this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  #command(command: SimpleCommand): void {
    let words = command;
    for (let [first] = words; first && isKeyword(first.text); [first] = words) {
      this.#keyword(first.text);
      if ((first.text === 'for' || first.text === 'select') && words[1]) this.#set.add(words[1].text);
      words = words.slice(1);
    }
    this.#condition(words);
    while (words[0] && ASSIGNED.test(words[0].text)) {
      this.#assign(words[0]);
      words = words.slice(1);
    }
    for (const { text } of ['export', 'local', 'declare', 'readonly', 'read'].includes(words[0]?.text ?? '')
      ? words.slice(1)
      : [])
      this.#set.add(text.split('=', 1)[0]!);
    if (words[0]?.text === 'svc') this.#call(words);
  }

  #condition(words: SimpleCommand): void {
    const block = this.#blocks.at(-1);
    if (!block || block.inBody) return;
    block.varies ??= words.find(({ text }) => this.#why(text) !== undefined);
    // `case … in` and `for … in` have no other word before their bodies, or a `do` that is found later.
    block.inBody = words[1]?.text === 'in';
  }

  #keyword(word: string): void {
    if (word === 'elif') this.#blocks.pop();
    if (BLOCK_STARTS.has(word)) this.#blocks.push({ varies: undefined, inBody: false });
    const block = this.#blocks.at(-1);
    if (BODY_STARTS.has(word) && block) block.inBody = true;
    if (BLOCK_ENDS.has(word)) this.#blocks.pop();
  }

  #assign({ text }: Word): void {
    const [, name = ''] = ASSIGNED.exec(text) ?? [];
    const why = /\bsvc\s/.test(text) ? undefined : this.#why(text);
    this.#set.add(name);
    if (why === undefined) this.#varying.delete(name);
    else this.#varying.set(name, why);
  }

  /** Returns why a word varies from pass to pass. */
  #why(text: string): string | undefined {
    if (this.#problems.length >= MAX_WARNINGS) return undefined;
    const expanded = expandedIn(text.slice(0, MAX_WORD));
    const direct = VARYING.exec(expanded)?.[0];
    if (direct !== undefined) return direct;
    for (const [, name = ''] of expanded.matchAll(/\$\{?([A-Za-z_]\w*)/g)) {
      const from = this.#varying.get(name);
      if (from !== undefined) return `$${name}, which comes from ${from}`.slice(0, MAX_REASON);
    }
    return undefined;
  }

  #call(words: SimpleCommand): void {
    const [svc, verb, name] = words;
    if (!svc || !verb || this.#problems.length >= MAX_WARNINGS) return;
    const unknown = unknownVerb(verb.text, this.#verbs);
    if (unknown !== undefined) this.#warn(verb, 'lint_unknown_verb', unknown);
    if (!this.#verbs.has(verb.text)) return;
    const around = this.#blocks.find(({ varies }) => varies);
    if (around?.varies && !NOT_DURABLE.has(verb.text))
      this.#warn(
        around.varies,
        'lint_varying_condition',
        `\`svc ${verb.text}\` depends on ${this.#why(around.varies.text) ?? 'a value'}, which differs when the script is replayed; use the output of a \`svc step\` instead`,
      );
    const why = name && NAMED.has(verb.text) ? this.#why(name.text) : undefined;
    if (name && why !== undefined)
      this.#warn(
        name,
        'lint_varying_name',
        `the name of this call comes from ${why}, which differs when the script is replayed; take it from the output of a \`svc step\``,
      );
    if (verb.text === 'step') this.#body(words);
    if (!this.#overrides_svc) this.#arguments(words.slice(1));
  }

  #arguments(words: SimpleCommand): void {
    const args = toArguments(words);
    for (const { at, message } of this.#verb_arguments.findProblems(args.map(({ argument }) => argument)))
      this.#warn(args[at]!.word, 'lint_verb_arguments', message);
  }

  /** Handles what follows `--` of a step: a program, or a script for a shell. */
  #body(words: SimpleCommand): void {
    const dashes = words.findIndex(({ text }) => text === '--');
    const [program, option, script] = dashes < 0 ? [] : words.slice(dashes + 1);
    if (!program) return;
    if (program.text === 'svc' && option && this.#verbs.has(option.text)) this.#nested(program, option.text);
    if (!SHELLS.test(program.text) || !script || !RUNS_TEXT.test(option?.text ?? '')) return;
    const [, quoted = ''] = /^'([^']*)'$/.exec(script.text) ?? [];
    for (const inner of parseCommands(quoted, script.offset + 1)) {
      const [first, second] = inner;
      if (first?.text === 'svc' && second && this.#verbs.has(second.text)) this.#nested(first, second.text);
      if (inner.length === 1 && first && ASSIGNED.test(first.text))
        this.#inBodies.set(ASSIGNED.exec(first.text)![1]!, first);
    }
  }

  #nested(at: Word, verb: string): void {
    this.#warn(
      at,
      'lint_verb_in_step',
      `a step's command has no agent: \`svc ${verb}\` fails in it; call it before or after the step`,
    );
  }

  /**
   * Reports variables that only the body of a step sets and that the script reads, because the body is another
   * process.
   */
  #lostVariables(commands: readonly SimpleCommand[]): void {
    if (this.#inBodies.size === 0) return;
    const lastRead = new Map<string, number>();
    for (const { text, offset } of commands.flat())
      for (const [, braced, plain] of expandedIn(text.slice(0, MAX_WORD)).matchAll(READ))
        lastRead.set(braced ?? plain ?? '', Math.max(offset, lastRead.get(braced ?? plain ?? '') ?? 0));
    for (const [name, at] of this.#inBodies)
      if (!this.#set.has(name) && (lastRead.get(name) ?? 0) > at.offset)
        this.#warn(
          at,
          'lint_lost_variable',
          `\`${name}\` is set in the process of the step only, and the script reads it; print it, and write ${name}=$(svc step …)`,
        );
  }

  #warn({ offset }: Word, code: string, message: string): void {
    const key = `${offset} ${code}`;
    if (this.#problems.length >= MAX_WARNINGS || this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#lineStarts ??= [0, ...[...this.#source.matchAll(/\n/g)].map(({ index }) => index + 1)];
    const line = this.#lineStarts.findLastIndex((start) => start <= offset);
    this.#problems.push({ line: line + 1, column: offset - this.#lineStarts[line]! + 1, message, code });
  }
}

/** Verbs whose first argument is compared in a replay. */
const NAMED = new Set([
  'step',
  'wait-signal',
  'wait-event',
  'wait-any',
  'wait-ask',
  'emit',
  'lock',
  'activity',
  'activity-submit',
  'activity-collect',
]);

const isKeyword = (word: string): boolean =>
  BLOCK_STARTS.has(word) ||
  BODY_STARTS.has(word) ||
  BLOCK_ENDS.has(word) ||
  word === 'else' ||
  word === '!' ||
  word === '{' ||
  word === '}';
