import meow from 'meow';
import type { Command, Flag, FlagValues } from './command.ts';
import { usageError } from './errors.ts';
import { nearest } from './find.ts';
import { flagsOf } from './flags.ts';
import { usageLine } from './help.ts';
import { isKeyValue } from '../plugins/platform/schema/contract/key-value.ts';

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** meow reads `--no-x` as "x is false", so such a flag gets another name internally. */
const internalName = (name: string) => name.replace(/^no-/, 'without-');
const camel = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * Parses with meow, and rejects what meow accepts: unknown flags, NaN, missing values, surplus arguments. For an unknown flag,
 * the error suggests one of the command, or another command of its group that has it.
 */
export function parse(
  command: Command,
  argv: readonly string[],
  commands: readonly Command[] = [],
): { args: string[]; words: string[]; flags: FlagValues } {
  const flags = flagsOf(command);
  const help = `see \`svc help ${command.name}\`; ${usageLine(command)}`;
  const unknownFlag = (written: string) =>
    usageError(`unknown flag ${written}`, [...suggestFlag(written, command, commands), help].join(' '));
  const expanded = expandFlags(flags, argv, { help, unknownFlag });
  const cli = meow('', {
    importMeta: import.meta,
    // Without it, meow reads and parses the next package.json for help texts that svc writes itself.
    pkg: {},
    argv: expanded,
    autoHelp: false,
    autoVersion: false,
    booleanDefault: undefined,
    flags: Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        camel(internalName(name)),
        { type: flag.type === 'number' ? 'string' : flag.type, isMultiple: flag.many ?? false },
      ]),
    ) as Record<string, { type: 'string' | 'boolean'; isMultiple: boolean }>,
  });
  const values = cli.flags as Record<string, unknown>;
  const parsed = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      camel(name),
      convertFlag(name, flag, values[camel(internalName(name))], help),
    ]),
  );
  const { args, words } = splitArguments(command, cli.input.map(String), argv);
  return { args: checkArguments(command, args, help), words, flags: parsed };
}

/** The words after `--` first fill up the arguments; the rest are the words of the command. */
function splitArguments({ args = [], words }: Command, input: string[], argv: readonly string[]) {
  const end = argv.indexOf('--');
  if (!words || end < 0) return { args: input, words: [] };
  const after = argv.slice(end + 1);
  const before = input.slice(0, input.length - after.length);
  const more = after.slice(0, Math.max(0, args.length - before.length));
  return { args: [...before, ...more], words: after.slice(more.length) };
}

/** Suggests a flag for an unknown one, as one sentence or none. */
function suggestFlag(written: string, command: Command, commands: readonly Command[]): string[] {
  if (!written.startsWith('--')) return [];
  const name = written.slice(2);
  const flags = Object.keys(flagsOf(command));
  // A word that was cut short, such as --stat, can be closer to a flag of another command.
  const [suggestion = flags.find((flag) => name.length >= 3 && flag.startsWith(name))] = nearest(name, flags);
  if (suggestion !== undefined) return [`did you mean --${suggestion}?`];
  for (const other of commands.filter(({ group }) => group !== undefined && group === command.group)) {
    const [flag] = nearest(name, Object.keys(other.flags ?? {}));
    if (flag !== undefined) return [`did you mean \`svc ${other.name} --${flag}\`?`];
  }
  return [];
}

interface FlagErrors {
  /** What to do next, for every error. */
  help: string;
  unknownFlag: (written: string) => Error;
}

/** Rejects unknown flags before meow sees them, and expands short ones. */
function expandFlags(
  flags: Readonly<Record<string, Flag>>,
  argv: readonly string[],
  { help, unknownFlag }: FlagErrors,
): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const result: string[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < end; index += 1) {
    const word = argv[index]!;
    if (!word.startsWith('-') || word === '-') {
      result.push(word);
      continue;
    }
    const [written = '', ...inline] = word.split('=');
    const name = written.startsWith('--')
      ? kebab(written.slice(2))
      : (Object.entries(flags).find(([, flag]) => flag.short === written.slice(1))?.[0] ?? '');
    const flag = flags[name];
    if (!flag) throw unknownFlag(written);
    const repeated = seen.has(name);
    seen.add(name);
    if (flag.type === 'boolean') {
      if (inline.length > 0) throw usageError(`${written} takes no value`, help);
      if (!repeated) result.push(`--${internalName(name)}`);
      continue;
    }
    if (repeated && !flag.many) throw usageError(`${written} is set twice, but takes only one value`, help);
    if (inline.length === 0) index += 1;
    const next = inline.length > 0 ? inline.join('=') : index < end ? argv[index] : undefined;
    if (next === undefined) throw usageError(`${written} needs a value`, help);
    // meow drops an empty value of a list: a filter from an unset variable would then select everything.
    if (next === '' && flag.many && flag.choices)
      throw usageError(`${written} is empty; it must be one of ${flag.choices.join(', ')}`, help);
    result.push(`--${internalName(name)}=${protectQuotes(next)}`);
    if (!flag.pairs || !isKeyValue(next)) continue;
    for (; index + 1 < end && isKeyValue(argv[index + 1]!) && !argv[index + 1]!.startsWith('-'); index += 1)
      result.push(`--${internalName(name)}=${protectQuotes(argv[index + 1]!)}`);
  }
  return [...result, ...argv.slice(end)];
}

/** meow strips one pair of quotes from a value. In JSON they belong to the value, so an extra pair protects them. */
const protectQuotes = (text: string) => (/^["']/.test(text) && text.at(-1) === text[0] ? `"${text}"` : text);

function convertFlag(
  name: string,
  flag: Flag,
  raw: unknown,
  help: string,
): string | number | boolean | string[] | undefined {
  if (flag.type === 'boolean') return raw === true;
  const choose = (text: string) => {
    if (flag.choices && !flag.choices.includes(text))
      throw usageError(`--${name} is "${text}"; it must be one of ${flag.choices.join(', ')}`, help);
    return text;
  };
  // The choices contain no commas, so a value may list several.
  const split = (text: unknown) => (flag.choices ? String(text).split(',') : [String(text)]);
  if (flag.many) return ((raw as string[] | undefined) ?? []).flatMap(split).map(choose);
  if (raw === undefined) return undefined;
  const text = choose(String(raw));
  if (flag.type === 'string') return text;
  const { least: min = 0, most: max = Number.MAX_SAFE_INTEGER } = flag;
  if (!/^\d+$/.test(text) || Number(text) < min || Number(text) > max)
    throw usageError(`--${name} is "${text}"; it must be a whole number from ${min} to ${max}`, help);
  return Number(text);
}

function checkArguments({ args = [], words }: Command, input: string[], help: string): string[] {
  const needed = args.filter((argument) => !argument.optional);
  const missing = needed[input.length];
  if (missing) throw usageError(`<${missing.name}> is missing: ${missing.summary}`, help);
  // An empty argument is usually an unset shell variable.
  const empty = args.find((argument, index) => !argument.rest && input[index] === '');
  if (empty) throw usageError(`<${empty.name}> is empty: ${empty.summary}`, help);
  const open = args.at(-1)?.rest ?? false;
  if (!open && input.length > args.length)
    throw usageError(
      `"${input[args.length]}" is an extra argument`,
      words ? `${words.summary}: write them after --; ${help}` : help,
    );
  return input;
}
