// Finds the server of a program, by the rules of the command line (cli/client/profile.ts).
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { SvcError } from './errors.mjs';

const GROUP_AND_OTHERS = 0o077;

/**
 * Returns `{url, token, org, project, origin}`. A token is sent only to the server that it belongs to: a profile is never
 * combined with an address or a token from elsewhere.
 */
export async function findServer(env = process.env, folder = process.cwd()) {
  const { SVC_URL: url, SVC_ORG: org, SVC_PROJECT: project } = env;
  const token = await readToken(env);
  if (isInJob(env) && !(url && token))
    throw notConfigured(
      "a job cannot use a profile, because it does not have the rights of the machine's owner",
      'Set SVC_URL and SVC_TOKEN in the job, from a project credential.',
    );
  // Variables that say everything need no file.
  const needs_profile = !isInJob(env) && !(url && token && org && project);
  const profile = needs_profile ? await findProfile(env, folder) : undefined;
  const is_same = profile !== undefined && (!url || normalizeUrl(profile.url) === normalizeUrl(url));
  if (token && !url) throw notConfigured('SVC_TOKEN is set, but SVC_URL is not', "Set SVC_URL to the token's server.");
  if (url && !token && !is_same)
    throw notConfigured('SVC_URL is set, but SVC_TOKEN is not', 'Set SVC_TOKEN to a token of that server.');
  const known = is_same ? profile : {};
  const server = {
    url: url || known.url,
    token: token || known.token,
    org: org || known.org,
    project: project || known.project,
    origin: token ? 'SVC_TOKEN' : known.path,
  };
  if (!server.url || !server.token)
    throw notConfigured(
      'no server is configured: there is no profile, and SVC_URL or SVC_TOKEN is not set',
      'Start a server here with `svc dev`, or log in to one with `svc login --url <address> --token -`.',
    );
  if (!server.org || !server.project)
    throw new SvcError('usage', 'no org or project is selected', 'Set SVC_ORG and SVC_PROJECT, or log in with both.');
  return Object.freeze({ ...server, ...checkedAddress(server.url), token: checkedToken(server) });
}

/** Scripts have the first of these variables, and the functions of their steps have the second. */
const isInJob = (env) => env.SVC_AGENT_SOCKET !== undefined || env.SVC_IDEMPOTENCY_KEY !== undefined;

const notConfigured = (message, next) => new SvcError('not_authenticated', message, next);

async function readToken({ SVC_TOKEN_FILE: file, SVC_TOKEN: token }) {
  if (!file) return token;
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw notConfigured(`the token file ${file} cannot be read (${error.code})`, 'Correct SVC_TOKEN_FILE.');
  }
}

function checkedToken({ token, origin }) {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw notConfigured(
    `the token from ${origin} contains invalid characters`,
    'Pass only the token, without line breaks or quotes.',
  );
}

/** A password in an address would be shown wherever the address is shown. */
function checkedAddress(url) {
  if (url.startsWith('unix:')) return { base: 'http://localhost', socketPath: url.slice('unix:'.length) };
  const { protocol = '', username, password, search, hash } = parseUrl(url) ?? {};
  if (/^https?:$/.test(protocol) && !username && !password && !search && !hash)
    return { base: url.replace(/\/+$/, ''), socketPath: undefined };
  throw new SvcError(
    'usage',
    "the server's address is not valid; write it like http://127.0.0.1:8787",
    'Correct SVC_URL or the profile.',
  );
}

function parseUrl(url) {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** The path of a socket is not normalized: with symbolic links in it, `..` does not lead where it seems to. */
const normalizeUrl = (url = '') => (url.startsWith('unix:') ? url : (parseUrl(url)?.href ?? url)).replace(/\/+$/, '');

/**
 * Finds `.svc/profile.json` in this folder or above, or else the user's profile. Files of other users are ignored, because
 * what somebody else has put into a folder above must not decide where tokens and inputs go.
 */
async function findProfile(env, folder) {
  if (env.SVC_PROFILE) return await readProfile(join(configFolder(env), 'profiles', `${profileName(env)}.json`));
  for (let at = folder; ; at = dirname(at)) {
    const found = await readProfile(join(at, '.svc', 'profile.json'));
    if (found !== undefined) return found;
    if (at === dirname(at)) break;
  }
  return await readProfile(join(configFolder(env), 'profile.json'));
}

function profileName({ SVC_PROFILE: name }) {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(name)) return name;
  throw new SvcError('usage', `${JSON.stringify(name)} is not a valid profile name`, 'Correct SVC_PROFILE.');
}

const configFolder = (env) => join(env.XDG_CONFIG_HOME || join(homeOf(env), '.config'), 'svc');

/** A user id without an account, as in containers, has no home and therefore no profile. */
function homeOf(env) {
  try {
    return env.HOME || homedir();
  } catch {
    return '/nonexistent';
  }
}

async function readProfile(path) {
  const text = await readPrivate(path);
  if (text === undefined) return undefined;
  try {
    const profile = JSON.parse(text);
    if (Object.values(profile).every((member) => typeof member === 'string')) return { ...profile, path };
  } catch {
    // The message of JSON.parse may quote the file, including the token.
  }
  throw profileInvalid(path, 'it is not an object of strings');
}

async function readPrivate(path) {
  let file;
  try {
    // Opening a named pipe of somebody else would otherwise block forever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await file.stat();
    if (info.uid !== process.getuid?.()) return undefined;
    if (!info.isFile()) throw profileInvalid(path, 'it is not a file');
    if ((info.mode & GROUP_AND_OTHERS) !== 0)
      throw new SvcError(
        'profile_open',
        `${path} contains a token, and other users can read or write it`,
        `Run \`chmod 600 ${path}\`; if other users had access to this machine, replace the token.`,
      );
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof SvcError) throw error;
    // A file that we may not even open belongs to somebody else.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code)) return undefined;
    throw profileInvalid(path, error.message);
  } finally {
    await file?.close();
  }
}

const profileInvalid = (path, reason) =>
  new SvcError('profile_invalid', `${path} cannot be read: ${reason}`, 'Remove it, then log in again.');
