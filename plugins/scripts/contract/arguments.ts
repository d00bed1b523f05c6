import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { parseDuration } from '../../../kernel/contracts/index.ts';
import { verbUsage } from '../../replay/contract.ts';
import { meant } from '../../schema/contract.ts';
import { TIMEOUTS_PROTOCOL } from './socket.ts';
import type { VerbCall } from './verb.ts';

export interface Arguments {
  positionals: string[];
  /** Options that were given, by name; a flag without a value is the empty text. */
  options: Record<string, string>;
  /** Options that may be given several times. */
  lists: Record<string, string[]>;
}

/** A call whose answer is the usage text: `--help`, before anything is looked at or recorded. */
export class HelpAsked extends Error {}

/** `-5`, `-.5`, `- item`: values and no options, whatever stands before them. No verb has options of one letter but -h. */
const DASHED_VALUE = /^-[\d.\s]/;
/** Stands for such a value while the options are read; arguments of a process hold no NUL. */
const HIDDEN = '\0';

/**
 * Reads the arguments of a verb: positionals in any place, and the named options, each with a value and at most once, but
 * for `lists`; `flags` have none. Throws `verb_usage`.
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
    const args = argv.map((one) => (DASHED_VALUE.test(one) ? HIDDEN + one : one));
    parsed = parseArgs({ args, options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw verbUsage(faultOf(error as Error & { code?: string }, [...options, ...lists, ...flags]));
  }
  if (parsed.values.help) throw new HelpAsked();
  const given: Record<string, string> = {};
  for (const name of options) {
    const values = parsed.values[name] as string[] | undefined;
    if (values === undefined) continue;
    if (values.length > 1) throw verbUsage(`--${name} was given ${values.length} times`);
    given[name] = shown(values[0]!);
  }
  for (const name of flags) if (parsed.values[name]) given[name] = '';
  const many = lists.map((name) => [name, ((parsed.values[name] as string[] | undefined) ?? []).map(shown)] as const);
  return { positionals: parsed.positionals.map(shown), options: given, lists: Object.fromEntries(many) };
}

const shown = (text: string): string => (text.startsWith(HIDDEN) ? text.slice(1) : text);

/** node:util says what is wrong in its first sentence; the rest is advice to programmers. */
function faultOf({ code, message }: { code?: string; message: string }, names: readonly string[]): string {
  const [fault = message] = message.split(/[.\n]\s/);
  const ambiguous = code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && /ambiguous/.test(message);
  if (ambiguous) return `${fault.replace(/\.$/, '')}: write --option=value for a value that begins with a dash`;
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return fault;
  const near = meant(/'--([^']+)'/.exec(fault)?.[1] ?? '', names);
  if (near !== undefined) return `${fault}; did you mean --${near}?`;
  return `${fault}; arguments that begin with a dash stand after --`;
}

/** `--timeout` of a wait, in milliseconds. Throws `verb_usage` for a caller that knows no timeouts, or no durations. */
export function readTimeout(call: Pick<VerbCall, 'protocol'>, timeout: string | undefined): { timeout_ms?: number } {
  if (timeout === undefined) return {};
  const spoken = call.protocol ?? 1;
  if (spoken < TIMEOUTS_PROTOCOL)
    throw verbUsage(`--timeout needs protocol ${TIMEOUTS_PROTOCOL} of the agent socket; this client speaks ${spoken}`);
  return { timeout_ms: parseDuration(timeout) };
}

/** Throws `verb_usage` unless there are exactly the positionals that are named. */
export function exactly(arguments_: Arguments, names: readonly string[]): string[] {
  const { positionals } = arguments_;
  if (positionals.length < names.length) throw verbUsage(`<${names[positionals.length]}> is missing`);
  if (positionals.length > names.length)
    throw verbUsage(`${JSON.stringify(positionals[names.length])} is one argument too many`);
  return positionals;
}

/** Apart at the first `--`: the verb's own arguments, and the command after it, unchecked; undefined without `--`. */
export function splitCommand(argv: readonly string[]): { own: readonly string[]; command: string[] | undefined } {
  const dashes = argv.indexOf('--');
  return dashes < 0
    ? { own: argv, command: undefined }
    : { own: argv.slice(0, dashes), command: argv.slice(dashes + 1) };
}

/** Throws `verb_usage` unless there is a command. */
export function checkCommand(command: string[] | undefined): string[] {
  if (command === undefined) throw verbUsage('the command is missing: write it after --');
  if (command.length === 0 || command[0] === '') throw verbUsage('there is no command after --');
  return command;
}
