import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError, Exit, usageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const ownFolder = (env: Environment): string => join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'svc');

/** A user that is only a number, as in containers, has no home and so no profile. */
function homeOf(env: Environment): string {
  try {
    return env.HOME || homedir();
  } catch {
    return '/nonexistent';
  }
}

/** The user's own profile file, written by `svc login`. */
export const userProfilePath = (env: Environment): string => join(ownFolder(env), 'profile.json');

/** The file of a profile with a name, written by `svc login --profile <name>`. */
export function namedProfilePath(env: Environment, name: string): string {
  if (!NAME.test(name))
    throw usageError(`"${name}" is no name of a profile`, 'use letters, digits, _ and -; at most 63 characters');
  return join(ownFolder(env), 'profiles', `${name}.json`);
}

/** What was submitted last, a file for each project and folder. */
export const lastRunsFolder = (env: Environment): string => join(ownFolder(env), 'last-runs');

/** The names of the profiles that `svc login --profile` has written. */
export async function profileNames(env: Environment): Promise<string[]> {
  const files = await readdir(join(ownFolder(env), 'profiles')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  return names.sort();
}

/** Says which profiles there are. */
export async function noSuchProfile(env: Environment, name: string): Promise<CliError> {
  const names = await profileNames(env);
  const others = names.length === 0 ? 'there is none with a name' : `there are ${names.join(', ')}`;
  return new CliError(
    Exit.notAuthenticated,
    'not_authenticated',
    `there is no profile ${name}; ${others}`,
    `make it with \`svc login --profile ${name} --url <address> --token -\``,
  );
}
