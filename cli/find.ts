import type { Command, ScriptVerb } from './command.ts';
import { usageError } from './errors.ts';
import { commandHelp, groupHelp, overview, START } from './help.ts';
import { outsideOfARun, verbHelp } from './script-verbs.ts';

type Found = { command: Command; rest: readonly string[] } | { help: string };

const HELP = new Set(['--help', '-h']);

/**
 * Finds the command with the longest matching name, or the requested help. Throws a usage error with similar names.
 * Script verbs are loaded only when no command matches.
 */
export async function findCommand(
  argv: readonly string[],
  commands: readonly Command[],
  loadVerbs: () => Promise<readonly ScriptVerb[]>,
): Promise<Found> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv;
  const asked = argv[0] === 'help';
  if (argv.length === 0) return { help: START };
  const first = words[0];
  if (first === undefined || HELP.has(first)) return { help: overview(commands) };
  const command = named(words, commands);
  if (command) {
    // `svc help errors <code>`: what is asked for is the code.
    if (asked && command.name === 'errors' && words.length > 1) return { command, rest: words.slice(1) };
    const rest = words.slice(command.name.split(' ').length);
    const asks = own(rest).some((word) => HELP.has(word));
    if (asked || asks) return { help: commandHelp(command) };
    return { command, rest };
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  const second = words[1];
  if (group.length > 0 && (second === undefined || HELP.has(second))) return { help: groupHelp(first, group) };
  const verbs = await loadVerbs();
  const verb = group.length > 0 ? undefined : verbs.find((one) => one.verb === first);
  if (verb) {
    if (asked || own(words.slice(1)).some((word) => HELP.has(word))) return { help: verbHelp(verb) };
    throw outsideOfARun(verb);
  }
  const wanted = group.length > 0 ? `${first} ${second}` : first;
  const near = nearest(wanted, [...commands.map(({ name }) => name), ...verbs.map((one) => one.verb)]);
  throw usageError(
    `there is no command "${wanted}"`,
    near.length > 0
      ? `did you mean ${near.map((name) => `\`svc ${name}\``).join(' or ')}?`
      : '`svc --help` lists all commands',
  );
}

/** Arguments before `--`; the rest belongs to the command. */
const own = (words: readonly string[]) => (words.includes('--') ? words.slice(0, words.indexOf('--')) : words);

/** Both words of each pair are understood; commands are listed by the first. */
const SAME: Readonly<Record<string, string>> = { list: 'ls', ls: 'list', delete: 'rm', rm: 'delete' };

function named([noun = '', verb = '', ...rest]: readonly string[], commands: readonly Command[]): Command | undefined {
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
