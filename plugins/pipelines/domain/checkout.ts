/** The program, and the capability of agents that have it. */
export const GIT = 'git';

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Why a repository is not fetched from an address, or undefined. */
export function addressFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'is no URL';
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '') return 'has a user in it; give the webhook a credential';
  if (protocol === 'https:' || protocol === 'file:') return undefined;
  return protocol === 'http:' && LOCAL.test(hostname) ? undefined : 'is not https, nor on this machine';
}

export const isCommit = (sha: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha);

/** The settings of git for one fetch. They are in its environment only: arguments are visible to everybody. */
export function gitEnvironment(credential: string | undefined): Record<string, string> {
  const settings = [
    // A redirect would carry the credential to another server.
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
    ['core.hooksPath', '/dev/null'],
    ...(credential === undefined ? [] : [['http.extraHeader', `Authorization: Basic ${basic(credential)}`]]),
  ] as [string, string][];
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ALLOW_PROTOCOL: 'https:http:file',
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
