import { readProfile } from '../client/profile.ts';
import { Client } from '../client/client.ts';
import type { Invocation } from '../command.ts';
import { loadCommands, loadVerbs } from '../tables.ts';
import { joinAssignments, type CompletionTarget, parseTarget } from './target.ts';
import { type Offered, PATIENCE_MS, suggestValues } from './values.ts';

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
    const commands = await loadCommands(env, silent);
    const target = parseTarget(joinAssignments(words), commands, await loadVerbs(env, silent));
    const suggestions = await withTimeout(suggestionsAt(target, commands, env));
    if (suggestions === 'files') return `${FILES}\n`;
    return suggestions
      .filter(({ word }) => matches(word, target.typed))
      .map(formatSuggestion)
      .join('');
  } catch {
    return '';
  }
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
  commands: Awaited<ReturnType<typeof loadCommands>>,
  env: Invocation['env'],
): Promise<Offered[] | 'files'> {
  if (target.kind === 'files') return 'files';
  if (target.kind === 'words') return target.words.map((word) => ({ word }));
  if (target.kind === 'flags')
    return Object.entries(target.flags).map(([name, { summary }]) => ({ word: `--${name}`, description: summary }));
  const { command, value, parsed } = target;
  const { profile, org, project } = parsed.flags;
  const choice = command.anywhere ? {} : { profile, org, project };
  const client = async () => new Client(await readProfile(env, process.cwd(), choice));
  return suggestValues(command, value, parsed, { commands, client, env });
}

const matches = (word: string, typed: string): boolean => word !== '' && word.startsWith(typed) && !CONTROL.test(word);

const formatSuggestion = ({ word, description = '' }: Offered): string =>
  description === ''
    ? `${word}\n`
    : `${word}\t${description.split('\n')[0]!.replaceAll(new RegExp(CONTROL, 'gu'), ' ')}\n`;
