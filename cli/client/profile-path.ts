import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CliError, Exit, usageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

const configFolder = (env: Environment): string => join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'svc');

/** A user id without an account, as in containers, has no home and therefore no profile. */
function homeOf(env: Environment): string {
  try {
    return env.HOME || homedir();
  } catch {
    return '/nonexistent';
  }
}

/** The user's own profile file, written by `svc login`. */
export const userProfilePath = (env: Environment): string => join(configFolder(env), 'profile.json');

/** The file of a named profile, written by `svc login --profile <name>`. */
export function namedProfilePath(env: Environment, name: string): string {
  if (!NAME.test(name))
    throw usageError(`"${name}" is not a valid profile name`, 'use letters, digits, _ and -; at most 63 characters');
  return join(configFolder(env), 'profiles', `${name}.json`);
}

/** The folder that records the last submitted run, in a file for each project and folder. */
export const lastRunsFolder = (env: Environment): string => join(configFolder(env), 'last-runs');

/** Lists the profiles that `svc login --profile` has written. */
export async function profileNames(env: Environment): Promise<string[]> {
  const files = await readdir(join(configFolder(env), 'profiles')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  return names.sort();
}

/** The error for a profile that does not exist. It lists the ones that do. */
export async function noSuchProfile(env: Environment, name: string): Promise<CliError> {
  const names = await profileNames(env);
  const others = names.length === 0 ? 'there are no named profiles' : `the profiles are ${names.join(', ')}`;
  return new CliError(
    Exit.notAuthenticated,
    'not_authenticated',
    `there is no profile ${name}; ${others}`,
    `create it with \`svc login --profile ${name} --url <address> --token -\``,
  );
}
