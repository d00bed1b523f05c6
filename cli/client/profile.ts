import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, Exit } from '../errors.ts';

/** The server, the user's token, and the org and project. */
export interface Profile {
  /** `http://host:port`, `https://…` or `unix:/path/to/socket`. */
  url: string;
  token: string;
  org: string;
  project: string;
  /** Where the address was read from, for people. */
  origin: string;
  /** Where the token was read from. */
  token_origin: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's own profile file, written by `svc login`. */
export function userProfilePath(env: Environment): string {
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(base, 'svc', 'profile.json');
}

/** `.svc/profile.json` in this folder or above (written by `svc dev`), otherwise the user's profile. */
function profileFile(env: Environment, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, '.svc', 'profile.json');
    if (existsSync(path)) return path;
    if (folder === dirname(folder)) break;
  }
  const user = userProfilePath(env);
  return existsSync(user) ? user : undefined;
}

/** Each of SVC_URL, SVC_TOKEN, SVC_ORG and SVC_PROJECT wins over the profile on its own. */
export async function readProfile(env: Environment, from: string): Promise<Profile> {
  const path = env.SVC_URL && env.SVC_TOKEN && env.SVC_ORG && env.SVC_PROJECT ? undefined : profileFile(env, from);
  const stored = path === undefined ? {} : await parse(path);
  const profile = {
    url: env.SVC_URL || stored.url || '',
    token: env.SVC_TOKEN || stored.token || '',
    org: env.SVC_ORG || stored.org || '',
    project: env.SVC_PROJECT || stored.project || '',
    origin: env.SVC_URL ? 'SVC_URL' : (path ?? ''),
    token_origin: env.SVC_TOKEN ? 'SVC_TOKEN' : (path ?? ''),
  };
  const missing = (['url', 'token'] as const).filter((key) => profile[key] === '');
  if (missing.length > 0)
    throw new CliError(
      Exit.notAuthenticated,
      'not_authenticated',
      'no server is configured: there is no profile, and SVC_URL and SVC_TOKEN are not both set',
      'start one here with `svc dev`, or log in to one with `svc login --url <address> --token -`',
    );
  return profile;
}

/** Reads one profile file. */
export async function readProfileFile(path: string): Promise<Profile> {
  const { url = '', token = '', org = '', project = '' } = await parse(path);
  return { url, token, org, project, origin: path, token_origin: path };
}

const isProfile = (value: unknown): value is Partial<Profile> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((member) => typeof member === 'string');

async function parse(path: string): Promise<Partial<Profile>> {
  const invalid = (reason: string) =>
    new CliError(Exit.usage, 'profile_invalid', `${path} cannot be read: ${reason}`, 'remove it, then log in again');
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // The message of JSON.parse may quote the file, including the token.
    throw invalid(error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message);
  }
  if (!isProfile(value)) throw invalid('it is not an object of texts');
  return value;
}

/** Written beside and renamed, mode 0600: a reader never sees half of it, and other users never see it. */
export async function writeProfile(path: string, profile: Omit<Profile, 'origin' | 'token_origin'>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
