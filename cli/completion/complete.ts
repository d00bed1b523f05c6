import { readProfile } from '../client/profile.ts';
import { Client } from '../client/client.ts';
import type { Invocation } from '../command.ts';
import { loadCommands, loadVerbs } from '../tables.ts';
import { joined, type Place, placeOf } from './place.ts';
import { type Offered, PATIENCE_MS, valuesOf } from './values.ts';

/** Tells the script of a shell that names of files belong there. */
const FILES = ':files';
/** What would break a line, or steer a terminal. */
const CONTROL = /\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * The words that fit the last one of `words`: one on a line, with what is to be said of it behind a tab. Whatever goes
 * wrong, the answer is less, and there is no error: a shell is waiting.
 */
export async function complete(words: readonly string[], env: Invocation['env']): Promise<string> {
  const silent = () => undefined;
  try {
    const commands = await loadCommands(env, silent);
    const place = placeOf(joined(words), commands, await loadVerbs(env, silent));
    const offered = await inTime(offeredAt(place, commands, env));
    if (offered === 'files') return `${FILES}\n`;
    return offered
      .filter(({ word }) => fits(word, place.typed))
      .map(line)
      .join('');
  } catch {
    return '';
  }
}

/** What can be said within the time: a profile on a slow disk, or a name that takes long to look up, is not waited for. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), 2 * PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function offeredAt(
  place: Place,
  commands: Awaited<ReturnType<typeof loadCommands>>,
  env: Invocation['env'],
): Promise<Offered[] | 'files'> {
  if (place.kind === 'files') return 'files';
  if (place.kind === 'words') return place.words.map((word) => ({ word }));
  if (place.kind === 'flags')
    return Object.entries(place.flags).map(([name, { summary }]) => ({ word: `--${name}`, says: summary }));
  const { command, value, given } = place;
  const { profile, org, project } = given.flags;
  const choice = command.anywhere ? {} : { profile, org, project };
  const client = async () => new Client(await readProfile(env, process.cwd(), choice));
  return valuesOf(command, value, given, { commands, client, env });
}

const fits = (word: string, typed: string): boolean => word !== '' && word.startsWith(typed) && !CONTROL.test(word);

const line = ({ word, says = '' }: Offered): string =>
  says === '' ? `${word}\n` : `${word}\t${says.split('\n')[0]!.replaceAll(new RegExp(CONTROL, 'gu'), ' ')}\n`;
