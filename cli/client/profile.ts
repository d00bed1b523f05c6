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
  /** Where the address was read from, for people. */
  origin: string;
  /** Where the token was read from. */
  token_origin: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the flags of a command say: `--profile`, `--org`, `--project`. */
export interface Choice {
  profile?: string | undefined;
  org?: string | undefined;
  project?: string | undefined;
}

interface Found {
  path: string;
  stored: Partial<Profile>;
}

/**
 * `.svc/profile.json` in this folder or above (written by `svc dev`), otherwise the user's profile. Files of other users
 * do not count; `foreign` is the first of them.
 */
async function findProfile(env: Environment, from: string): Promise<{ found?: Found; foreign?: string }> {
  let foreign: string | undefined;
  for (const path of [
    ...foldersFrom(from).map((folder) => join(folder, '.svc', 'profile.json')),
    userProfilePath(env),
  ]) {
    const read = await readPrivate(path);
    if (read === 'foreign') foreign ??= path;
    else if (read !== undefined) return { found: { path, stored: parse(path, read.text) } };
  }
  return { foreign };
}

const foldersFrom = (folder: string): string[] =>
  folder === dirname(folder) ? [folder] : [folder, ...foldersFrom(dirname(folder))];

/** The profile with this name. Throws when there is none. */
async function findNamed(env: Environment, name: string): Promise<Found> {
  const path = namedProfilePath(env, name);
  const read = await readPrivate(path);
  if (read === undefined) throw await noSuchProfile(env, name);
  if (read === 'foreign') throw profileInvalid(path, 'it belongs to another user');
  return { path, stored: parse(path, read.text) };
}

/**
 * `--profile`; SVC_URL with SVC_TOKEN; SVC_PROFILE; the profile that is found from the folder. A token goes only to the
 * server that it was given for: a profile is never mixed with an address or a token from elsewhere. Org and project come
 * from the flags, then from SVC_ORG and SVC_PROJECT, then from the profile; beside `--profile` no variable counts. In a
 * job of an agent no profile counts.
 */
export async function readProfile(env: Environment, from: string, choice: Choice = {}): Promise<Profile> {
  const { org, project } = choice;
  if (choice.profile === undefined)
    return readFound({ ...env, SVC_ORG: org ?? env.SVC_ORG, SVC_PROJECT: project ?? env.SVC_PROJECT }, from);
  if (isInJob(env)) throw inJob();
  const found = await findNamed(env, choice.profile);
  return ofProfile(found, { SVC_ORG: org, SVC_PROJECT: project });
}

async function readFound(env: Environment, from: string): Promise<Profile> {
  const { SVC_URL: url, SVC_TOKEN: token } = env;
  if (url) checkAddress(url);
  if (url && token && env.SVC_ORG && env.SVC_PROJECT) return fromEnvironment(env, url, token);
  if (isInJob(env) && !(url && token)) throw inJob();
  const { found, foreign } = isInJob(env) ? {} : await chosen(env, from);
  const same = found !== undefined && (!url || isSameServer(url, found.stored.url));
  if (url && token) return fromEnvironment(env, url, token, same ? found : undefined);
  if (token) throw missingUrl(found);
  if (url && !same) throw missingToken(url, found);
  return ofProfile(found, env, foreign);
}

const chosen = async (env: Environment, from: string): Promise<{ found?: Found; foreign?: string }> =>
  env.SVC_PROFILE ? { found: await findNamed(env, env.SVC_PROFILE) } : findProfile(env, from);

/** The environment's address is the profile's own here, perhaps written in another way. */
function ofProfile(found: Found | undefined, env: Environment, foreign?: string): Profile {
  const { path, stored } = found ?? {};
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

/** Scripts have the first of them, and commands of their steps the second. */
const isInJob = (env: Environment): boolean =>
  env.SVC_AGENT_SOCKET !== undefined || env.SVC_IDEMPOTENCY_KEY !== undefined;

function fromEnvironment(env: Environment, url: string, token: string, found?: Found): Profile {
  const { org = '', project = '' } = found?.stored ?? {};
  const chosen = { org: env.SVC_ORG || org, project: env.SVC_PROJECT || project };
  return { url, token, ...chosen, origin: 'SVC_URL', token_origin: 'SVC_TOKEN' };
}

/** Two ways to write one address. */
function isSameServer(one: string, other = ''): boolean {
  // The place of a socket is not read as a URL: links may lie in its folders, and `..` lead elsewhere than it looks.
  const plain = (url: string) =>
    (URL.canParse(url) && !url.startsWith('unix:') ? new URL(url).href : url).replace(/\/+$/, '');
  return plain(one) === plain(other);
}

const refused = (message: string, next: string) =>
  new CliError(Exit.notAuthenticated, 'not_authenticated', message, next);

const inJob = () =>
  refused(
    'a job has no profile: what it may do at a server is not what the owner of its machine may',
    'set SVC_URL and SVC_TOKEN in the job, from a credential of the project',
  );

const missingUrl = (found?: Found) =>
  refused(
    `SVC_TOKEN is set and SVC_URL is not${found ? `: the token is not sent to the server of ${found.path}` : ''}`,
    'set SVC_URL to the server of the token, or unset SVC_TOKEN',
  );

const missingToken = (url: string, found?: Found) =>
  refused(
    `SVC_URL is set and SVC_TOKEN is not${found?.stored.url ? `: the token in ${found.path} is for ${found.stored.url}, and is not sent to ${url}` : ''}`,
    'set SVC_TOKEN to a token of that server, or log in to it with `svc login --url <address> --token -`',
  );

const notConfigured = (foreign?: string) =>
  refused(
    foreign === undefined
      ? 'no server is configured: there is no profile, and SVC_URL and SVC_TOKEN are not both set'
      : `no server is configured: the profile ${foreign} belongs to another user and does not count`,
    'start one here with `svc dev`, or log in to one with `svc login --url <address> --token -`',
  );

/** Reads one profile file. */
export async function readProfileFile(path: string): Promise<Profile> {
  const read = await readPrivate(path);
  if (read === undefined) throw profileInvalid(path, 'it is not there');
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
  if (!isProfile(value)) throw profileInvalid(path, 'it is not an object of texts');
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
