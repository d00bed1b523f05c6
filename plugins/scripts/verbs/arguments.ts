import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { verbUsage } from '../errors.ts';

export interface Arguments {
  positionals: string[];
  /** Options that were given, by name; a flag without a value is the empty text. */
  options: Record<string, string>;
  /** Options that may be given several times. */
  lists: Record<string, string[]>;
}

/** A call whose answer is the usage text: `--help`, before anything is looked at or recorded. */
export class HelpAsked extends Error {}

/**
 * Reads the arguments of a verb: positionals in any place, and the named options, each with a value and at most once, but
 * for `lists`. Throws `verb_usage`.
 */
export function readArguments(
  argv: readonly string[],
  options: readonly string[] = [],
  lists: readonly string[] = [],
): Arguments {
  const config: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  for (const name of [...options, ...lists]) config[name] = { type: 'string', multiple: true };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...argv], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    // node:util says what is wrong in its first sentence; the rest is advice to programmers.
    throw verbUsage((error as Error).message.split('. ')[0]!);
  }
  if (parsed.values.help) throw new HelpAsked();
  const given: Record<string, string> = {};
  for (const name of options) {
    const values = parsed.values[name] as string[] | undefined;
    if (values === undefined) continue;
    if (values.length > 1) throw verbUsage(`--${name} was given ${values.length} times`);
    given[name] = values[0]!;
  }
  const many = lists.map((name) => [name, (parsed.values[name] as string[] | undefined) ?? []] as const);
  return { positionals: parsed.positionals, options: given, lists: Object.fromEntries(many) };
}

/** Throws `verb_usage` unless there are exactly the positionals that are named. */
export function exactly(arguments_: Arguments, names: readonly string[]): string[] {
  const { positionals } = arguments_;
  if (positionals.length < names.length) throw verbUsage(`<${names[positionals.length]}> is missing`);
  if (positionals.length > names.length)
    throw verbUsage(`${JSON.stringify(positionals[names.length])} is one argument too many`);
  return positionals;
}
