const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns why a repository cannot be fetched from an address, or undefined. */
export function findUrlProblem(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'is no URL';
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return 'contains a username; give the webhook a credential';
  if (protocol === 'https:' || protocol === 'file:') return undefined;
  return protocol === 'http:' && LOCAL.test(hostname) ? undefined : 'is neither https nor on this machine';
}

export const isCommit = (sha: unknown): sha is string =>
  typeof sha === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);

/**
 * Returns why a text cannot name a branch, tag or commit. Stricter than `git check-ref-format`: nothing in it may be
 * read as an option, a pattern or two names of a refspec.
 */
export function findRefProblem(ref: unknown): string | undefined {
  if (typeof ref !== 'string' || ref === '' || ref.length > 255) return 'is not the name of a branch, tag or commit';
  const sound =
    /^[^\s\p{Cc}~^:?*[\\+-][^\s\p{Cc}~^:?*[\\]*$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\.lock(\/|$)|[./]$|^[./]|\/\./.test(ref);
  return sound ? undefined : 'is not the name of a branch, tag or commit';
}

/** Returns why a path is not a folder within a repository. */
export function findPathProblem(path: unknown): string | undefined {
  const sound =
    typeof path === 'string' &&
    path.length <= 1024 &&
    /^[^\p{Cc}\\"*?[!#-][^\p{Cc}\\"*?[]*$/u.test(path) &&
    !path.split('/').some((part) => part === '' || part === '.' || part === '..' || part.toLowerCase() === '.git');
  return sound ? undefined : 'is not a folder of a repository: names separated by /';
}

export interface GitAccess {
  url: string;
  /** `user:password`, or a token. */
  credential: string | undefined;
}

/**
 * Returns the settings of git while it fetches. They are only in its environment, because arguments are visible to
 * everybody and whatever is written to a repository stays there. Nothing in a repository can override them.
 */
export function gitEnvironment({ url, credential }: GitAccess, submodules = false): Record<string, string> {
  const { protocol, origin } = new URL(url);
  const settings = [
    // A redirect would send the credential to another server.
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
    // Submodules on other servers get no credential.
    ...(credential === undefined ? [] : [[`http.${origin}/.extraHeader`, `Authorization: Basic ${basic(credential)}`]]),
  ] as [string, string][];
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    // A repository names its own submodules, so none of them may be a file or program of this machine.
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

/** Returns a pair unchanged, and a token with a user name that forges accept for any token. */
const basic = (credential: string): string =>
  Buffer.from(credential.includes(':') ? credential : `x-access-token:${credential}`).toString('base64');
