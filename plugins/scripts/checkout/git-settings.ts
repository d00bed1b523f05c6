const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Why a repository is not fetched from an address, or undefined. */
export function addressFault(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'is no URL';
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return 'has a user in it; give the webhook a credential';
  if (protocol === 'https:' || protocol === 'file:') return undefined;
  return protocol === 'http:' && LOCAL.test(hostname) ? undefined : 'is not https, nor on this machine';
}

export const isCommit = (sha: unknown): sha is string =>
  typeof sha === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);

/**
 * Why a text is no name of a branch, tag or commit. Stricter than `git check-ref-format`: nothing of it may be read as an
 * option, as a pattern or as two names of a refspec.
 */
export function refFault(ref: unknown): string | undefined {
  if (typeof ref !== 'string' || ref === '' || ref.length > 255) return 'is no name of a branch, tag or commit';
  const sound =
    /^[^\s\p{Cc}~^:?*[\\+-][^\s\p{Cc}~^:?*[\\]*$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\.lock(\/|$)|[./]$|^[./]|\/\./.test(ref);
  return sound ? undefined : 'is no name of a branch, tag or commit';
}

/** Why a path is no folder within a repository. */
export function pathFault(path: unknown): string | undefined {
  const sound =
    typeof path === 'string' &&
    path.length <= 1024 &&
    /^[^\p{Cc}\\"*?[!#-][^\p{Cc}\\"*?[]*$/u.test(path) &&
    !path.split('/').some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git');
  return sound ? undefined : 'is no folder of a repository: names with / between them';
}

export interface GitAccess {
  url: string;
  /** `user:password`, or a token. */
  credential: string | undefined;
}

/**
 * The settings of git while it fetches. They are in its environment only: arguments are visible to everybody, and what is
 * written to a repository stays there. What a repository brings decides nothing of them.
 */
export function gitEnvironment({ url, credential }: GitAccess, submodules = false): Record<string, string> {
  const { protocol, origin } = new URL(url);
  const settings = [
    // A redirect would carry the credential to another server.
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.askPass', ''],
    ['init.templateDir', ''],
    ['init.defaultBranch', 'main'],
    ['fetch.recurseSubmodules', 'false'],
    ['submodule.recurse', 'false'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    // Submodules may lie at other servers: those get no credential.
    ...(credential === undefined ? [] : [[`http.${origin}/.extraHeader`, `Authorization: Basic ${basic(credential)}`]]),
  ] as [string, string][];
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    // A repository names its submodules itself: none of them may be a file or a program of this machine.
    GIT_ALLOW_PROTOCOL: submodules ? (protocol === 'http:' ? 'https:http' : 'https') : 'https:http:file',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], n) => [
        [`GIT_CONFIG_KEY_${n}`, key],
        [`GIT_CONFIG_VALUE_${n}`, value],
      ]),
    ),
  };
}

/** A pair as it is; a token with a name that forges accept for any token. */
const basic = (credential: string): string =>
  Buffer.from(credential.includes(':') ? credential : `x-access-token:${credential}`).toString('base64');
