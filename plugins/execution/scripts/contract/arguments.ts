import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { parseDuration } from '../../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { readKeyValue, suggestName } from '../../../platform/schema/contract.ts';
import { TIMEOUTS_PROTOCOL } from './socket.ts';
import type { VerbCall } from './verb.ts';

export interface Arguments {
  positionals: string[];
  /** Options by name; a flag without a value is the empty text. */
  options: Record<string, string>;
  /** Options that may be repeated. */
  lists: Record<string, string[]>;
}

/** Thrown for `--help`, before anything is checked or recorded; the call is answered with the usage text. */
export class HelpRequested extends Error {}

/**
 * Matches values such as `-5`, `-.5` and `- item`, which are never options: no verb has options of one letter except
 * -h.
 */
const DASHED_VALUE = /^-[\d.\s]/;
/** Marks such a value while the options are parsed; arguments of a process cannot contain NUL. */
const ESCAPE = '\0';

/**
 * Parses the arguments of a verb: positionals anywhere, and the named options, each with a value and at most once,
 * except for `lists`; `flags` have no value. Throws `verb_usage`.
 */
export function readArguments(
  argv: readonly string[],
  options: readonly string[] = [],
  lists: readonly string[] = [],
  flags: readonly string[] = [],
): Arguments {
  const config: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  for (const name of [...options, ...lists]) config[name] = { type: 'string', multiple: true };
  for (const name of flags) config[name] = { type: 'boolean' };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    const args = argv.map((one) => (DASHED_VALUE.test(one) ? ESCAPE + one : one));
    parsed = parseArgs({ args, options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw verbUsage(describeParseError(error as Error & { code?: string }, [...options, ...lists, ...flags]));
  }
  if (parsed.values.help) throw new HelpRequested();
  const option_values: Record<string, string> = {};
  for (const name of options) {
    const values = parsed.values[name] as string[] | undefined;
    if (values === undefined) continue;
    if (values.length > 1) throw verbUsage(`--${name} was given ${values.length} times`);
    option_values[name] = unescapeValue(values[0]!);
  }
  for (const name of flags) if (parsed.values[name]) option_values[name] = '';
  const list_values = lists.map(
    (name) => [name, ((parsed.values[name] as string[] | undefined) ?? []).map(unescapeValue)] as const,
  );
  return {
    positionals: parsed.positionals.map(unescapeValue),
    options: option_values,
    lists: Object.fromEntries(list_values),
  };
}

const unescapeValue = (text: string): string => (text.startsWith(ESCAPE) ? text.slice(1) : text);

/** The first sentence of node:util says what is wrong; the rest is advice for programmers. */
function describeParseError({ code, message }: { code?: string; message: string }, names: readonly string[]): string {
  const [problem = message] = message.split(/[.\n]\s/);
  const ambiguous = code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && /ambiguous/.test(message);
  if (ambiguous) return `${problem.replace(/\.$/, '')}: write --option=value for a value that starts with a dash`;
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return problem;
  const suggestion = suggestName(/'--([^']+)'/.exec(problem)?.[1] ?? '', names);
  if (suggestion !== undefined) return `${problem}; did you mean --${suggestion}?`;
  return `${problem}; put arguments that start with a dash after --`;
}

/**
 * Parses the `--timeout` of a wait into milliseconds. Throws `verb_usage` for an invalid duration, and for callers
 * that do not support timeouts.
 */
export function readTimeout(call: Pick<VerbCall, 'protocol'>, timeout: string | undefined): { timeout_ms?: number } {
  if (timeout === undefined) return {};
  const client_protocol = call.protocol ?? 1;
  if (client_protocol < TIMEOUTS_PROTOCOL)
    throw verbUsage(
      `--timeout needs protocol ${TIMEOUTS_PROTOCOL} of the agent socket; this client speaks ${client_protocol}`,
    );
  return { timeout_ms: parseDuration(timeout) };
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Returns the values of `--var <name>=<value>` for a predicate. They are separate arguments, so that no value becomes part of
 * the expression. Throws `verb_usage`.
 */
export function readVars(pairs: readonly string[] = []): { [name: string]: Json } {
  return Object.fromEntries(
    pairs.map((pair): [string, Json] => {
      const { key, value, invalid } = readKeyValue(pair);
      if (invalid === 'json') throw verbUsage(`--var ${key}:= is not followed by JSON`);
      if (!VARIABLE.test(key)) throw verbUsage('--var takes name=text or name:=json; a name has letters, digits and _');
      return [key, value as Json];
    }),
  );
}

/** Returns the positionals. Throws `verb_usage` unless there are exactly as many as names. */
export function requirePositionals(arguments_: Arguments, names: readonly string[]): string[] {
  const { positionals } = arguments_;
  if (positionals.length < names.length) throw verbUsage(`<${names[positionals.length]}> is missing`);
  if (positionals.length > names.length)
    throw verbUsage(`${JSON.stringify(positionals[names.length])} is an extra argument`);
  return positionals;
}

/**
 * Splits arguments at the first `--` into the verb's own and the command after it, unchecked; undefined without `--`.
 */
export function splitCommand(argv: readonly string[]): { verb_argv: readonly string[]; command: string[] | undefined } {
  const dashes = argv.indexOf('--');
  return dashes < 0
    ? { verb_argv: argv, command: undefined }
    : { verb_argv: argv.slice(0, dashes), command: argv.slice(dashes + 1) };
}

/** Returns the command. Throws `verb_usage` if there is none. */
export function checkCommand(command: string[] | undefined): string[] {
  if (command === undefined) throw verbUsage('the command is missing: write it after --');
  if (command.length === 0 || command[0] === '') throw verbUsage('there is no command after --');
  return command;
}
