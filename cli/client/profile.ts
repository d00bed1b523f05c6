import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError, Exit } from '../errors.ts';
import { profileInvalid, readPrivate } from './private-file.ts';

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

/**
 * SVC_URL with SVC_TOKEN, otherwise the profile. A token goes only to the server that it was given for: a profile is
 * never mixed with an address or a token from elsewhere, but SVC_ORG and SVC_PROJECT win over it. In a job of an agent no
 * profile counts.
 */
export async function readProfile(env: Environment, from: string): Promise<Profile> {
  const { SVC_URL: url, SVC_TOKEN: token } = env;
  if (url && token && env.SVC_ORG && env.SVC_PROJECT) return fromEnvironment(env, url, token);
  if (isInJob(env) && !(url && token)) throw inJob();
  const { found, foreign } = isInJob(env) ? {} : await findProfile(env, from);
  const same = found !== undefined && (!url || isSameServer(url, found.stored.url));
  if (url && token) return fromEnvironment(env, url, token, same ? found : undefined);
  if (token) throw missingUrl(found);
  if (url && !same) throw missingToken(url, found);
  const { path, stored } = found ?? {};
  if (!path || !stored?.url || !stored.token) throw notConfigured(foreign);
  const { org = '', project = '' } = stored;
  return {
    url: url || stored.url,
    token: stored.token,
    org: env.SVC_ORG || org,
    project: env.SVC_PROJECT || project,
    origin: url ? 'SVC_URL' : path,
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
  const plain = (url: string) => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, '');
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
