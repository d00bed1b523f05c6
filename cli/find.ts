import type { Command, ScriptVerb } from './command.ts';
import { usageError } from './errors.ts';
import { commandHelp, groupHelp, overview, START } from './help.ts';
import { alsoVerbHelp, outsideOfARun, verbHelp } from './script-verbs.ts';

type Found = { command: Command; rest: readonly string[] } | { help: string };

const HELP = new Set(['--help', '-h']);

/**
 * Finds the command with the longest matching name, or the requested help. Throws a usage error with similar names.
 * Script verbs are loaded only for help, and when no command matches.
 */
export async function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
  loadVerbs: () => Promise<readonly ScriptVerb[]>,
): Promise<Found> {
  if (argv.length === 0) return { help: START };
  const asked = argv[0] === 'help';
  const words = asked ? argv.slice(1) : argv;
  const [first, second] = words;
  if (first === undefined || HELP.has(first)) return { help: overview(commands, await loadVerbs()) };
  const command = named(words, commands);
  if (command) return await called(command, words, asked, loadVerbs);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  const verbs = await loadVerbs();
  if (group.length > 0 && (second === undefined || HELP.has(second))) {
    const also = verbs.filter((one) => nounOf(one.verb) === first).map(alsoVerbHelp);
    return { help: [groupHelp(first, group), ...also].join('') };
  }
  const verb = verbs.find((one) => one.verb === first && (group.length === 0 || takes(one, second)));
  if (!verb)
    throw unknown(words, group.length > 0, [...commands.map(({ name }) => name), ...verbs.map((one) => one.verb)]);
  if (asked || own(words.slice(1)).some((word) => HELP.has(word))) return { help: verbHelp(verb) };
  throw outsideOfARun(verb);
}

/** The command with its arguments, or its help. */
async function called(
  command: Command,
  words: readonly string[],
  asked: boolean,
  loadVerbs: () => Promise<readonly ScriptVerb[]>,
): Promise<Found> {
  // `svc help errors <code>`: what is asked for is the code.
  if (asked && command.name === 'errors' && words.length > 1) return { command, rest: words.slice(1) };
  const rest = words.slice(command.name.split(' ').length);
  if (!asked && !own(rest).some((word) => HELP.has(word))) return { command, rest };
  // Scripts have some commands as verbs too: `emit`, `artifact put`, `call` for `call node`.
  const also = (await loadVerbs()).filter(({ verb }) => verb === command.name || verb === nounOf(command.name));
  return { help: [commandHelp(command), ...also.map(alsoVerbHelp)].join('') };
}

function unknown([first = '', second = '']: readonly string[], isGroup: boolean, names: readonly string[]) {
  if (first.startsWith('-') && second !== '')
    return usageError(`${first} stands before the command`, 'flags stand behind it: `svc runs ls --json`');
  if (first === 'version') return usageError('there is no command "version"', '`svc --version` prints it');
  const wanted = isGroup ? `${first} ${second}` : first;
  // `svc event ls`: its first word alone is far from every name of two.
  const pairs = isGroup
    ? []
    : nearest(
        `${first} ${second}`,
        names.filter((name) => name.includes(' ')),
      );
  const near = pairs.length > 0 ? pairs : nearest(wanted, [...names, ...names.map(nounOf)]);
  const next =
    near.length > 0
      ? `did you mean ${near.map((name) => `\`svc ${name}\``).join(' or ')}?`
      : '`svc --help` lists all commands';
  return usageError(`there is no command "${wanted}"`, next);
}

const nounOf = (name: string): string => name.split(' ', 1)[0]!;

/** `svc state set`, which only scripts have, beside the command `svc state get`. */
const takes = ({ usage }: ScriptVerb, second: string | undefined): boolean =>
  second !== undefined && usage.split(/[^a-z-]+/).includes(second);

/** Arguments before `--`; the rest belongs to the command. */
const own = (words: readonly string[]) => (words.includes('--') ? words.slice(0, words.indexOf('--')) : words);

/** Both words of each pair are understood; commands are listed by the first. */
const SAME: Readonly<Record<string, string>> = { list: 'ls', ls: 'list', delete: 'rm', rm: 'delete' };

export function named(
  [noun = '', verb = '', ...rest]: readonly string[],
  commands: readonly Command[],
): Command | undefined {
  const words = [noun, verb, ...rest];
  const same = SAME[verb];
  return [`${noun} ${verb}`, ...(same === undefined ? [] : [`${noun} ${same}`]), words[0]!]
    .map((name) => commands.find((command) => command.name === name))
    .find((command) => command !== undefined);
}

export function nearest(wanted: string, names: readonly string[]): string[] {
  return [...new Set(names)]
    .map((name) => ({ name, distance: distance(wanted, name) }))
    .filter((one) => one.distance <= 2)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ name }) => name);
}

/** The Levenshtein distance, row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
