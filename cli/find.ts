import { similarNames } from '../plugins/platform/schema/contract/nearest.ts';
import type { Command, ScriptVerb } from './command.ts';
import { usageError } from './errors.ts';
import { commandHelp, GUIDE, groupHelp, overview, START, topicHelp } from './help.ts';
import { verbSection, notInScript, verbHelp } from './script-verbs.ts';

type FoundCommand = { command: Command; rest: readonly string[] } | { help: string };

const HELP = new Set(['--help', '-h']);

/**
 * Finds the command with the longest matching name, or the requested help. Throws a usage error that suggests similar names.
 * Script verbs are loaded only for help and when no command matches.
 */
export async function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
  loadVerbs: () => Promise<readonly ScriptVerb[]>,
): Promise<FoundCommand> {
  if (argv.length === 0) return { help: START };
  const is_help = argv[0] === 'help';
  const words = is_help ? argv.slice(1) : argv;
  const [first, second] = words;
  if (first === undefined) return { help: GUIDE };
  if (HELP.has(first)) return { help: overview(commands, await loadVerbs()) };
  const command = findByName(words, commands);
  if (command) return await resolveCommand(command, words, is_help, loadVerbs);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  const verbs = await loadVerbs();
  const topic = is_help && second === undefined ? topicHelp(first, commands, verbs) : undefined;
  if (topic !== undefined && group.length === 0) return { help: topic };
  if (group.length > 0 && (second === undefined || HELP.has(second))) {
    const also = verbs.filter((one) => nounOf(one.verb) === first).map(verbSection);
    return { help: [groupHelp(first, group), ...also].join('') };
  }
  const verb = verbs.find(
    (one) =>
      one.verb === `${first} ${second}` || (one.verb === first && (group.length === 0 || hasSubcommand(one, second))),
  );
  if (!verb)
    throw unknownCommand(words, group.length > 0, [
      ...commands.map(({ name }) => name),
      ...verbs.map((one) => one.verb),
    ]);
  if (is_help || beforeSeparator(words.slice(1)).some((word) => HELP.has(word))) return { help: verbHelp(verb) };
  throw notInScript(verb);
}

/** Returns the command with its arguments, or its help. */
async function resolveCommand(
  command: Command,
  words: readonly string[],
  is_help: boolean,
  loadVerbs: () => Promise<readonly ScriptVerb[]>,
): Promise<FoundCommand> {
  // `svc help errors <code>` explains the code, not the command.
  if (is_help && command.name === 'errors' && words.length > 1) return { command, rest: words.slice(1) };
  const rest = words.slice(command.name.split(' ').length);
  if (!is_help && !beforeSeparator(rest).some((word) => HELP.has(word))) return { command, rest };
  // Some commands are also verbs of scripts: `emit`, `artifact put`, `call` for `call node`.
  const also = (await loadVerbs()).filter(({ verb }) => verb === command.name || verb === nounOf(command.name));
  return { help: [commandHelp(command), ...also.map(verbSection)].join('') };
}

function unknownCommand([first = '', second = '']: readonly string[], isGroup: boolean, names: readonly string[]) {
  if (first.startsWith('-') && second !== '')
    return usageError(`${first} belongs after the command`, 'flags come after it: `svc runs ls --json`');
  if (first === 'version') return usageError('unknown command "version"', '`svc --version` prints it');
  const typed = isGroup ? `${first} ${second}` : first;
  const suggestions = isGroup ? suggestInGroup(first, second, names) : suggestCommand(first, second, names);
  const list = isGroup ? `\`svc ${first}\` lists its commands` : '`svc help all` lists all commands';
  const next =
    suggestions.length > 0 ? `did you mean ${suggestions.map((name) => `\`svc ${name}\``).join(' or ')}?` : list;
  return usageError(`unknown command "${typed}"`, next);
}

/** The one or two names that most resemble a text. */
export const nearest = (text: string, names: readonly string[]): string[] => similarNames(text, names, 2);

function suggestCommand(first: string, second: string, names: readonly string[]): string[] {
  // In `svc event ls`, the first word alone is too different from every name of two words.
  const pairs = nearest(
    `${first} ${second}`,
    names.filter((name) => name.includes(' ')),
  );
  return pairs.length > 0 ? pairs : nearest(first, [...names, ...names.map(nounOf)]);
}

/** What other tools call a command of svc. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  set: ['create', 'add', 'new', 'update', 'put', 'apply', 'register'],
  create: ['add', 'new', 'set'],
  save: ['set', 'create', 'add', 'new', 'update', 'put', 'push', 'apply', 'store'],
  ls: ['list', 'all'],
  rm: ['delete', 'remove', 'destroy', 'unset'],
  show: ['get', 'view', 'describe', 'info', 'inspect'],
};

/** The second words of a group that resemble a word or mean the same: `set` for `create` and for `craete`. */
function suggestInGroup(group: string, word: string, names: readonly string[]): string[] {
  const pairs = names.filter((name) => name.startsWith(`${group} `));
  const synonyms = pairs.flatMap((name) =>
    (SYNONYMS[name.split(' ')[1]!] ?? []).map((synonym) => [synonym, name] as const),
  );
  const similar = nearest(
    word,
    pairs.map((name) => name.slice(group.length + 1)),
  );
  if (similar.length > 0) return similar.map((name) => `${group} ${name}`);
  const [synonym] = nearest(
    word,
    synonyms.map(([name]) => name),
  );
  return synonyms.filter(([name]) => name === synonym).map(([, name]) => name);
}

const nounOf = (name: string): string => name.split(' ', 1)[0]!;

/** Tells whether a verb has this second word: only scripts have `svc state set`, though `svc state get` is a command too. */
const hasSubcommand = ({ usage }: ScriptVerb, second: string | undefined): boolean =>
  second !== undefined && usage.split(/[^a-z-]+/).includes(second);

/** Returns the words before `--`. The rest belongs to the program that the command runs. */
const beforeSeparator = (words: readonly string[]) =>
  words.includes('--') ? words.slice(0, words.indexOf('--')) : words;

/** Both words of each pair are accepted. */
const ALIASES: Readonly<Record<string, string>> = { list: 'ls', ls: 'list', delete: 'rm', rm: 'delete' };

export function findByName(
  [noun = '', verb = '', ...rest]: readonly string[],
  commands: readonly Command[],
): Command | undefined {
  const words = [noun, verb, ...rest];
  const alias = ALIASES[verb];
  return [`${noun} ${verb}`, ...(alias === undefined ? [] : [`${noun} ${alias}`]), words[0]!]
    .map((name) => commands.find((command) => command.name === name))
    .find((command) => command !== undefined);
}
