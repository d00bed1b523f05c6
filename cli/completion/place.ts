import type { Argument, Command, Flag, Flags, ScriptVerb } from '../command.ts';
import { named } from '../find.ts';
import { commonFlags, flagsOf } from '../flags.ts';

/** What is typed, as far as its words say. `typed` is the beginning of the word that is completed. */
export type Place = { typed: string } & (
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'flags'; flags: Flags }
  | { kind: 'value'; command: Command; value: Value; given: Given }
  | { kind: 'files' }
);

/** What a word stands for. */
export type Value = ({ flag: string } & Flag) | Argument;

/** What stands before it on the line. */
export interface Given {
  args: readonly string[];
  flags: Readonly<Record<string, string>>;
}

/** Completion looks at a verb of scripts as at a command without a place. */
const asCommand = ({ verb, summary = '', args, flags }: ScriptVerb): Command => ({
  ...{ name: verb, summary, args, flags },
  anywhere: true,
  load: () => Promise.reject(new Error(`${verb} is a verb`)),
});

/** bash takes `--status=failed` for three words. */
export function joined(words: readonly string[]): string[] {
  const whole: string[] = [];
  for (const [at, word] of words.entries()) {
    const last = whole.at(-1);
    if (word === '=' && last?.startsWith('--')) whole[whole.length - 1] = `${last}=`;
    else if (at > 0 && words[at - 1] === '=' && last?.endsWith('=')) whole[whole.length - 1] = `${last}${word}`;
    else whole.push(word);
  }
  return whole;
}

/** `words` are those after `svc`; the last one is completed. */
export function placeOf(words: readonly string[], commands: readonly Command[], verbs: readonly ScriptVerb[]): Place {
  if (words[0] === 'help' && words.length > 1) return helpPlace(words.slice(1), commands, verbs);
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  const command = named(before, commands) ?? verbs.map(asCommand).find((verb) => verb.name === before[0]);
  if (!command) return { kind: 'words', typed, words: nextWords(before, commands, verbs) };
  return within(command, before.slice(wordsOf(command, before)), typed);
}

const wordsOf = ({ name }: Command, words: readonly string[]): number =>
  words[0] === name ? 1 : name.split(' ').length;

function helpPlace(words: readonly string[], commands: readonly Command[], verbs: readonly ScriptVerb[]): Place {
  return { kind: 'words', typed: words.at(-1)!, words: nextWords(words.slice(0, -1), commands, verbs) };
}

/** First words, or the second words of a first one. */
function nextWords(before: readonly string[], commands: readonly Command[], verbs: readonly ScriptVerb[]): string[] {
  const names = [...commands.map(({ name }) => name), ...verbs.map(({ verb }) => verb)].map((name) => name.split(' '));
  if (before.length === 0) return [...new Set([...names.map(([first]) => first!), 'help'])];
  if (before.length > 1) return [];
  return [...new Set(names.filter(([first, second]) => first === before[0] && second).map(([, second]) => second!))];
}

/** Behind the name of a command: a flag, the value of one, or an argument. */
function within(command: Command, before: readonly string[], typed: string): Place {
  const flags: Flags = flagsOf(command);
  const given: { args: string[]; flags: Record<string, string> } = { args: [], flags: {} };
  let open: string | undefined;
  for (const word of before) {
    if (open !== undefined) {
      given.flags[open] = word;
      open = undefined;
    } else if (word === '--') {
      return { kind: 'files', typed };
    } else if (word.startsWith('-') && word !== '-') {
      const [name, value] = flagIn(word, flags);
      if (value !== undefined) given.flags[name] = value;
      else if (flags[name] !== undefined && flags[name].type !== 'boolean') open = name;
    } else given.args.push(word);
  }
  if (open !== undefined) return valuePlace(command, open, typed, given);
  if (typed.startsWith('--') && typed.includes('=')) {
    const [name, value = ''] = flagIn(typed, flags);
    return valuePlace(command, name, value, given);
  }
  if (typed.startsWith('-') && typed !== '-')
    return { kind: 'flags', typed, flags: { ...command.flags, ...commonFlags(command) } };
  const { args = [] } = command;
  const argument = args[given.args.length] ?? (args.at(-1)?.rest ? args.at(-1) : undefined);
  return argument ? { kind: 'value', typed, command, value: argument, given } : { kind: 'words', typed, words: [] };
}

function flagIn(word: string, flags: Flags): [name: string, value: string | undefined] {
  const at = word.indexOf('=');
  const written = at < 0 ? word : word.slice(0, at);
  const value = at < 0 ? undefined : word.slice(at + 1);
  if (written.startsWith('--')) return [written.slice(2), value];
  return [Object.entries(flags).find(([, { short }]) => short === written.slice(1))?.[0] ?? '', value];
}

function valuePlace(command: Command, name: string, typed: string, given: Given): Place {
  const flag = flagsOf(command)[name];
  if (!flag) return { kind: 'words', typed, words: [] };
  return { kind: 'value', typed, command, value: { flag: name, ...flag }, given };
}
