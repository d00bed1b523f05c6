import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, Exit } from '../errors.ts';
import { checkAddress } from './address.ts';
import { profileInvalid, readPrivate } from './private-file.ts';
import { namedProfilePath, noSuchProfile, userProfilePath } from './profile-path.ts';

/** The server, the user's token, and the org and project. */
export interface Profile {
  /** `http://host:port`, `https://…` or `unix:/path/to/socket`. */
  url: string;
  token: string;
  org: string;
  project: string;
  /** Where the address comes from, for people. */
  origin: string;
  /** Where the token comes from. */
  token_origin: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The profile, org and project that the flags of a command choose. */
export interface ProfileChoice {
  profile?: string | undefined;
  org?: string | undefined;
  project?: string | undefined;
}

interface StoredProfile {
  path: string;
  stored: Partial<Profile>;
}

/**
 * Finds `.svc/profile.json` in this folder or above (written by `svc dev`), or else the user's profile. Files of other users
 * are ignored; `foreign` is the first of them.
 */
async function findProfile(env: Environment, from: string): Promise<{ profile?: StoredProfile; foreign?: string }> {
  let foreign: string | undefined;
  for (const path of [
    ...foldersFrom(from).map((folder) => join(folder, '.svc', 'profile.json')),
    userProfilePath(env),
  ]) {
    const read = await readPrivate(path);
    if (read === 'foreign') foreign ??= path;
    else if (read !== undefined) return { profile: { path, stored: parse(path, read.text) } };
  }
  return { foreign };
}

const foldersFrom = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...foldersFrom(dirname(folder))];

/** Reads the profile with this name. Throws when there is none. */
async function findNamed(env: Environment, name: string): Promise<StoredProfile> {
  const path = namedProfilePath(env, name);
  const read = await readPrivate(path);
  if (read === undefined) throw await noSuchProfile(env, name);
  if (read === 'foreign') throw profileInvalid(path, 'it belongs to another user');
  return { path, stored: parse(path, read.text) };
}

/**
 * Resolves the profile in this order: `--profile`; SVC_URL with SVC_TOKEN; SVC_PROFILE; the profile found from the folder. A
 * token is sent only to the server that it belongs to: a profile is never combined with an address or a token from elsewhere.
 * Org and project come from the flags, then from SVC_ORG and SVC_PROJECT, then from the profile. `--profile` overrides all
 * variables. Profiles are ignored in a job of an agent.
 */
export async function readProfile(env: Environment, from: string, choice: ProfileChoice = {}): Promise<Profile> {
  const { org, project } = choice;
  if (choice.profile === undefined)
    return resolveProfile({ ...env, SVC_ORG: org ?? env.SVC_ORG, SVC_PROJECT: project ?? env.SVC_PROJECT }, from);
  if (isInJob(env)) throw noProfileInJob();
  const profile = await findNamed(env, choice.profile);
  return fromStoredProfile(profile, { SVC_ORG: org, SVC_PROJECT: project });
}

async function resolveProfile(env: Environment, from: string): Promise<Profile> {
  const { SVC_URL: url, SVC_TOKEN: token } = env;
  if (url) checkAddress(url);
  if (url && token && env.SVC_ORG && env.SVC_PROJECT) return fromEnvironment(env, url, token);
  if (isInJob(env) && !(url && token)) throw noProfileInJob();
  const { profile: found, foreign } = isInJob(env) ? {} : await chooseProfile(env, from);
  const same = found !== undefined && (!url || isSameServer(url, found.stored.url));
  if (url && token) return fromEnvironment(env, url, token, same ? found : undefined);
  if (token) throw missingUrl(found);
  if (url && !same) throw missingToken(url, found);
  return fromStoredProfile(found, env, foreign);
}

const chooseProfile = async (env: Environment, from: string): Promise<{ profile?: StoredProfile; foreign?: string }> =>
  env.SVC_PROFILE ? { profile: await findNamed(env, env.SVC_PROFILE) } : findProfile(env, from);

/** SVC_URL, if it is set, is the address of this profile, though it may be spelled differently. */
function fromStoredProfile(profile: StoredProfile | undefined, env: Environment, foreign?: string): Profile {
  const { path, stored } = profile ?? {};
  if (!path || !stored?.url || !stored.token) throw notConfigured(foreign);
  const { org = '', project = '' } = stored;
  return {
    url: env.SVC_URL || stored.url,
    token: stored.token,
    org: env.SVC_ORG || org,
    project: env.SVC_PROJECT || project,
    origin: env.SVC_URL ? 'SVC_URL' : path,
    token_origin: path,
  };
}

/** Scripts have the first of these variables, and the commands of their steps have the second. */
const isInJob = (env: Environment): boolean =>
  env.SVC_AGENT_SOCKET !== undefined || env.SVC_IDEMPOTENCY_KEY !== undefined;

function fromEnvironment(env: Environment, url: string, token: string, profile?: StoredProfile): Profile {
  const { org = '', project = '' } = profile?.stored ?? {};
  const chosen = { org: env.SVC_ORG || org, project: env.SVC_PROJECT || project };
  return { url, token, ...chosen, origin: 'SVC_URL', token_origin: 'SVC_TOKEN' };
}

/** Compares two addresses that may be spelled differently. */
function isSameServer(url: string, other_url = ''): boolean {
  // The path of a socket is not normalized as a URL: with symbolic links in it, `..` does not lead where it seems to.
  const normalizeUrl = (url: string) =>
    (URL.canParse(url) && !url.startsWith('unix:') ? new URL(url).href : url).replace(/\/+$/, '');
  return normalizeUrl(url) === normalizeUrl(other_url);
}

const profileRejected = (message: string, next: string) =>
  new CliError(Exit.notAuthenticated, 'not_authenticated', message, next);

const noProfileInJob = () =>
  profileRejected(
    "a job cannot use a profile, because it does not have the rights of the machine's owner",
    'set SVC_URL and SVC_TOKEN in the job, from a project credential',
  );

const missingUrl = (profile?: StoredProfile) =>
  profileRejected(
    `SVC_TOKEN is set, but SVC_URL is not${profile ? `: the token is not sent to the server in ${profile.path}` : ''}`,
    "set SVC_URL to the token's server, or unset SVC_TOKEN",
  );

const missingToken = (url: string, profile?: StoredProfile) =>
  profileRejected(
    `SVC_URL is set, but SVC_TOKEN is not${profile?.stored.url ? `: the token in ${profile.path} is for ${profile.stored.url}, and is not sent to ${url}` : ''}`,
    'set SVC_TOKEN to a token of that server, or log in to it with `svc login --url <address> --token -`',
  );

const notConfigured = (foreign?: string) =>
  profileRejected(
    foreign === undefined
      ? 'no server is configured: there is no profile, and SVC_URL or SVC_TOKEN is not set'
      : `no server is configured: the profile ${foreign} belongs to another user and is ignored`,
    'start a server here with `svc dev`, or log in to one with `svc login --url <address> --token -`',
  );

/** Reads one profile file. */
export async function readProfileFile(path: string): Promise<Profile> {
  const read = await readPrivate(path);
  if (read === undefined) throw profileInvalid(path, 'it does not exist');
  if (read === 'foreign') throw profileInvalid(path, 'it belongs to another user');
  const { url = '', token = '', org = '', project = '' } = parse(path, read.text);
  return { url, token, org, project, origin: path, token_origin: path };
}

const isProfile = (value: unknown): value is Partial<Profile> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((member) => typeof member === 'string');

function parse(path: string, text: string): Partial<Profile> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of JSON.parse may quote the file, including the token.
    throw profileInvalid(path, 'it is not JSON');
  }
  if (!isProfile(value)) throw profileInvalid(path, 'it is not an object of strings');
  return value;
}

/** Writes a temporary file with mode 0600 and renames it: no reader sees half of a profile, and no other user any of it. */
export async function writeProfile(path: string, profile: Omit<Profile, 'origin' | 'token_origin'>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
}
