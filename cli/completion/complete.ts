import { readProfile } from '../client/profile.ts';
import { Client } from '../client/client.ts';
import type { Command, Invocation } from '../command.ts';
import { CliError } from '../errors.ts';
import { flagsOf } from '../flags.ts';
import { loadCommands, loadVerbs } from '../tables.ts';
import { joinAssignments, type CompletionTarget, parseCalled, type ParsedWords, parseTarget } from './target.ts';
import { type Offered, PATIENCE_MS, requestLimits, suggestValues } from './values.ts';

type Commands = Awaited<ReturnType<typeof loadCommands>>;

/** Tells the shell's script to complete file names. */
const FILES = ':files';
/** Characters that would break a line or control a terminal. */
const CONTROL = /\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * Returns the completions of the last one of `words`: one on each line, with its description after a tab. Never fails: a
 * shell is waiting, so a problem only means fewer completions.
 */
export async function complete(words: readonly string[], env: Invocation['env']): Promise<string> {
  const silent = () => undefined;
  try {
    const joined = joinAssignments(words);
    const [commands, verbs] = await Promise.all([loadCommands(env, silent), loadVerbs(env, silent)]);
    return await withTimeout(suggest(joined, await withInputFlags(joined, commands, env), verbs, env));
  } catch {
    return '';
  }
}

async function suggest(
  words: readonly string[],
  commands: Commands,
  verbs: Awaited<ReturnType<typeof loadVerbs>>,
  env: Invocation['env'],
): Promise<string> {
  const target = parseTarget(words, commands, verbs);
  const suggestions = await suggestionsAt(target, commands, env);
  if (suggestions === 'files') return `${FILES}\n`;
  return suggestions
    .filter(({ word }) => matches(word, target.typed))
    .map(formatSuggestion)
    .join('');
}

/** Limits the time, because a profile on a slow disk or a slow DNS lookup must not block the shell. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), 2 * PATIENCE_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function suggestionsAt(
  target: CompletionTarget,
  commands: Commands,
  env: Invocation['env'],
): Promise<Offered[] | 'files'> {
  if (target.kind === 'files') return 'files';
  if (target.kind === 'words') return target.words.map((word) => ({ word }));
  if (target.kind === 'flags')
    return Object.entries(target.flags).map(([name, { summary }]) => ({ word: `--${name}`, description: summary }));
  const { command, value, parsed } = target;
  return suggestValues(command, value, parsed, { commands, client: clientOf(command, parsed, env), env });
}

const clientOf =
  (command: Command, { flags: { profile, org, project } }: ParsedWords, env: Invocation['env']) =>
  async (): Promise<Client> =>
    new Client(await readProfile(env, process.cwd(), command.anywhere ? {} : { profile, org, project }));

/** The commands; the one that is called has the inputs of its workflow as flags, when a flag or its value is completed. */
async function withInputFlags(words: readonly string[], commands: Commands, env: Invocation['env']): Promise<Commands> {
  const called = words.slice(-2).some((word) => word.startsWith('-')) ? parseCalled(words, commands) : undefined;
  if (!called?.command.inputs) return commands;
  const { command, parsed } = called;
  const { findInputs } = await import('../inputs/find-inputs.ts');
  const { inputFlags } = await import('../inputs/input-flags.ts');
  try {
    const inputs = await findInputs(command, parsed, process, clientOf(command, parsed, env), requestLimits());
    if (inputs === undefined) return commands;
    const flags = { ...inputFlags(inputs, flagsOf(command)), ...command.flags };
    return commands.map((one) => (one === command ? { ...command, flags } : one));
  } catch (error) {
    // The command line names no workflow that exists, or the server does not answer: the command has flags of its own.
    if (!(error instanceof CliError)) throw error;
    return commands;
  }
}

const matches = (word: string, typed: string): boolean => word !== '' && word.startsWith(typed) && !CONTROL.test(word);

const formatSuggestion = ({ word, description = '' }: Offered): string =>
  description === ''
    ? `${word}\n`
    : `${word}\t${description.split('\n')[0]!.replaceAll(new RegExp(CONTROL, 'gu'), ' ')}\n`;
