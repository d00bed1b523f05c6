import type { Argument, Command, Flag, Flags, ScriptVerb } from '../command.ts';
import { findByName } from '../find.ts';
import { commonFlags, flagsOf } from '../flags.ts';

/** What is to be completed. `typed` is the beginning of the word under the cursor. */
export type CompletionTarget = { typed: string } & (
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'flags'; flags: Flags }
  | { kind: 'value'; command: Command; value: Value; parsed: ParsedWords }
  | { kind: 'files' }
);

/** The flag or argument whose value is completed. */
export type Value = ({ flag: string } & Flag) | Argument;

/** The arguments and flags that precede it on the line. */
export interface ParsedWords {
  args: readonly string[];
  flags: Readonly<Record<string, string>>;
}

/** Completion treats a verb of scripts as a command that asks no server. */
const toCommand = ({ verb, summary = '', args, flags }: ScriptVerb): Command => ({
  name: verb,
  summary,
  args,
  flags,
  anywhere: true,
  load: () => Promise.reject(new Error(`${verb} is a verb`)),
});

/** Joins what bash splits: it passes `--status=failed` as three words. */
export function joinAssignments(words: readonly string[]): string[] {
  const words_joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const last = words_joined.at(-1);
    if (word === '=' && last?.startsWith('--')) words_joined[words_joined.length - 1] = `${last}=`;
    else if (at > 0 && words[at - 1] === '=' && last?.endsWith('='))
      words_joined[words_joined.length - 1] = `${last}${word}`;
    else words_joined.push(word);
  }
  return words_joined;
}

/** Parses the words after `svc`, of which the last one is completed. */
export function parseTarget(
  words: readonly string[],
  commands: readonly Command[],
  verbs: readonly ScriptVerb[],
): CompletionTarget {
  if (words[0] === 'help' && words.length > 1) return helpTarget(words.slice(1), commands, verbs);
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const command = findByName(before, commands) ?? verbs.map(toCommand).find((verb) => verb.name === before[0]);
  if (!command) return { kind: 'words', typed, words: nextWords(before, commands, verbs) };
  return parseArguments(command, before.slice(nameLength(command, before)), typed);
}

const nameLength = ({ name }: Command, words: readonly string[]): number =>
  words[0] === name ? 1 : name.split(' ').length;

function helpTarget(
  words: readonly string[],
  commands: readonly Command[],
  verbs: readonly ScriptVerb[],
): CompletionTarget {
  return { kind: 'words', typed: words.at(-1)!, words: nextWords(words.slice(0, -1), commands, verbs) };
}

/** Returns the possible first words, or the possible second words after a first one. */
function nextWords(before: readonly string[], commands: readonly Command[], verbs: readonly ScriptVerb[]): string[] {
  const names = [...commands.map(({ name }) => name), ...verbs.map(({ verb }) => verb)].map((name) => name.split(' '));
  if (before.length === 0) return [...new Set([...names.map(([first]) => first!), 'help'])];
  if (before.length > 1) return [];
  return [...new Set(names.filter(([first, second]) => first === before[0] && second).map(([, second]) => second!))];
}

/** The command that the words before the cursor call, and the arguments and flags that they give it. */
export function parseCalled(
  words: readonly string[],
  commands: readonly Command[],
): { command: Command; parsed: ParsedWords } | undefined {
  const before = words.slice(0, -1);
  const command = findByName(before, commands);
  return command && { command, parsed: parseWords(flagsOf(command), before.slice(nameLength(command, before))).parsed };
}

/** The words before the cursor. `open` is a flag whose value comes next; after `--`, nothing is a flag. */
function parseWords(flags: Flags, before: readonly string[]) {
  const parsed: { args: string[]; flags: Record<string, string> } = { args: [], flags: {} };
  let open: string | undefined;
  for (const word of before) {
    if (open !== undefined) {
      parsed.flags[open] = word;
      open = undefined;
    } else if (word === '--') {
      return { parsed, open, ended: true };
    } else if (word.startsWith('-') && word !== '-') {
      const [name, value] = splitFlag(word, flags);
      if (value !== undefined) parsed.flags[name] = value;
      else if (flags[name] !== undefined && flags[name].type !== 'boolean') open = name;
    } else parsed.args.push(word);
  }
  return { parsed, open, ended: false };
}

/** After the name of a command comes a flag, the value of one, or an argument. */
function parseArguments(command: Command, before: readonly string[], typed: string): CompletionTarget {
  const flags: Flags = flagsOf(command);
  const { parsed, open, ended } = parseWords(flags, before);
  if (ended) return { kind: 'files', typed };
  if (open !== undefined) return valueTarget(command, open, typed, parsed);
  if (typed.startsWith('--') && typed.includes('=')) {
    const [name, value = ''] = splitFlag(typed, flags);
    return valueTarget(command, name, value, parsed);
  }
  if (typed.startsWith('-') && typed !== '-')
    return { kind: 'flags', typed, flags: { ...command.flags, ...commonFlags(command) } };
  const { args = [] } = command;
  const argument = args[parsed.args.length] ?? (args.at(-1)?.rest ? args.at(-1) : undefined);
  return argument ? { kind: 'value', typed, command, value: argument, parsed } : { kind: 'words', typed, words: [] };
}

function splitFlag(word: string, flags: Flags): [name: string, value: string | undefined] {
  const at = word.indexOf('=');
  const spelling = at < 0 ? word : word.slice(0, at);
  const value = at < 0 ? undefined : word.slice(at + 1);
  if (spelling.startsWith('--')) return [spelling.slice(2), value];
  return [Object.entries(flags).find(([, { short }]) => short === spelling.slice(1))?.[0] ?? '', value];
}

function valueTarget(command: Command, name: string, typed: string, parsed: ParsedWords): CompletionTarget {
  const flag = flagsOf(command)[name];
  if (!flag) return { kind: 'words', typed, words: [] };
  return { kind: 'value', typed, command, value: { flag: name, ...flag }, parsed };
}
