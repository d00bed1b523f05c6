import meow from 'meow';
import type { Command, Flag, FlagValues } from './command.ts';
import { usageError } from './errors.ts';
import { flagsOf } from './flags.ts';
import { usageLine } from './help.ts';
import { isKeyValue } from '../plugins/schema/contract/key-value.ts';

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
/** meow reads `--no-x` as "x is false", so such a flag has another name internally. */
const inner = (name: string) => name.replace(/^no-/, 'without-');
const camel = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Parses with meow, then refuses what meow accepts: unknown flags, NaN, missing values, surplus arguments. */
export function parse(
  command: Command,
  argv: readonly string[],
): { args: string[]; words: string[]; flags: FlagValues } {
  const flags = flagsOf(command);
  const help = `see \`svc help ${command.name}\`; ${usageLine(command)}`;
  const given = expand(flags, argv, help);
  const cli = meow('', {
    importMeta: import.meta,
    argv: given,
    autoHelp: false,
    autoVersion: false,
    booleanDefault: undefined,
    flags: Object.fromEntries(
      Object.entries(flags).map(([name, flag]) => [
        camel(inner(name)),
        { type: flag.type === 'number' ? 'string' : flag.type, isMultiple: flag.many ?? false },
      ]),
    ) as Record<string, { type: 'string' | 'boolean'; isMultiple: boolean }>,
  });
  const values = cli.flags as Record<string, unknown>;
  const parsed = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [camel(name), value(name, flag, values[camel(inner(name))], help)]),
  );
  const { args, words } = apart(command, cli.input.map(String), argv);
  return { args: positional(command, args, help), words, flags: parsed };
}

/** What stands after `--` are arguments too, until there are enough of them; the rest are the words of the command. */
function apart({ args = [], words }: Command, input: string[], argv: readonly string[]) {
  const end = argv.indexOf('--');
  if (!words || end < 0) return { args: input, words: [] };
  const after = argv.slice(end + 1);
  const before = input.slice(0, input.length - after.length);
  const more = after.slice(0, Math.max(0, args.length - before.length));
  return { args: [...before, ...more], words: after.slice(more.length) };
}

/** Refuses unknown flags before meow sees them, and expands short ones. */
function expand(flags: Readonly<Record<string, Flag>>, argv: readonly string[], help: string): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const own: string[] = [];
  const seen = new Set<string>();
  for (let index = 0; index < end; index += 1) {
    const word = argv[index]!;
    if (!word.startsWith('-') || word === '-') {
      own.push(word);
      continue;
    }
    const [written = '', ...inline] = word.split('=');
    const name = written.startsWith('--')
      ? kebab(written.slice(2))
      : (Object.entries(flags).find(([, flag]) => flag.short === written.slice(1))?.[0] ?? '');
    const flag = flags[name];
    if (!flag) throw usageError(`the flag ${written} does not exist`, help);
    const again = seen.has(name);
    seen.add(name);
    if (flag.type === 'boolean') {
      if (inline.length > 0) throw usageError(`${written} takes no value`, help);
      if (!again) own.push(`--${inner(name)}`);
      continue;
    }
    if (again && !flag.many) throw usageError(`${written} is given twice, and takes one value`, help);
    if (inline.length === 0) index += 1;
    const next = inline.length > 0 ? inline.join('=') : index < end ? argv[index] : undefined;
    if (next === undefined) throw usageError(`${written} needs a value`, help);
    own.push(`--${inner(name)}=${quoted(next)}`);
    if (!flag.pairs || !isKeyValue(next)) continue;
    for (; index + 1 < end && isKeyValue(argv[index + 1]!) && !argv[index + 1]!.startsWith('-'); index += 1)
      own.push(`--${inner(name)}=${quoted(argv[index + 1]!)}`);
  }
  return [...own, ...argv.slice(end)];
}

/** meow removes one pair of quotes from a value; in a JSON text they belong to the value. */
const quoted = (text: string) => (/^["']/.test(text) && text.at(-1) === text[0] ? `"${text}"` : text);

function value(
  name: string,
  flag: Flag,
  given: unknown,
  help: string,
): string | number | boolean | string[] | undefined {
  if (flag.type === 'boolean') return given === true;
  const choose = (text: string) => {
    if (flag.choices && !flag.choices.includes(text))
      throw usageError(`--${name} is "${text}"; it must be one of ${flag.choices.join(', ')}`, help);
    return text;
  };
  // Words to choose from have no commas.
  const parts = (text: unknown) => (flag.choices ? String(text).split(',') : [String(text)]);
  if (flag.many) return ((given as string[] | undefined) ?? []).flatMap(parts).map(choose);
  if (given === undefined) return undefined;
  const text = choose(String(given));
  if (flag.type === 'string') return text;
  const [least, most] = [flag.least ?? 0, flag.most ?? Number.MAX_SAFE_INTEGER];
  if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
    throw usageError(`--${name} is "${text}"; it must be a whole number from ${least} to ${most}`, help);
  return Number(text);
}

function positional({ args = [], words }: Command, input: string[], help: string): string[] {
  const needed = args.filter((argument) => !argument.optional);
  const missing = needed[input.length];
  if (missing) throw usageError(`<${missing.name}> is missing: ${missing.summary}`, help);
  // Usually an unset shell variable.
  const empty = args.find((argument, index) => !argument.rest && input[index] === '');
  if (empty) throw usageError(`<${empty.name}> is empty: ${empty.summary}`, help);
  const open = args.at(-1)?.rest ?? false;
  if (!open && input.length > args.length)
    throw usageError(
      `"${input[args.length]}" is one argument too many`,
      words ? `${words.summary}: write them after --; ${help}` : help,
    );
  return input;
}
