import { type Api, putItem, readSecret, type Run, usageError } from '../../../../cli/contract.ts';

const OPTIONS = ['url', 'mount', 'kvVersion', 'namespace', 'region', 'project'] as const;
const LOGIN = ['token', 'roleId', 'secretId', 'accessKeyId', 'secretAccessKey', 'serviceAccount'] as const;
/** These are not secret. */
const PUBLIC: readonly string[] = ['roleId', 'accessKeyId'];

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const run: Run = async (invocation) => {
  const { args, flags } = invocation;
  const [name = ''] = args;
  if (flags.kind === undefined) throw usageError('--kind is missing', 'one of vault, aws, gcp');
  const login: Record<string, string> = {};
  for (const flag of LOGIN) {
    const value = flags[flag];
    if (value === undefined) continue;
    const label = `--${snake(flag).replaceAll('_', '-')}`;
    login[snake(flag)] = PUBLIC.includes(flag) ? String(value) : await readSecret(String(value), label, invocation);
  }
  const options = OPTIONS.flatMap((flag) => (flags[flag] === undefined ? [] : [[snake(flag), flags[flag]] as const]));
  await putItem<Api.SecretStore>(invocation, {
    path: (api) => api.scoped(`/secret-stores/${encodeURIComponent(name)}`),
    body: { kind: flags.kind, ...Object.fromEntries(options), login },
    confirmation: (made) => `${made ? 'Created' : 'Replaced'} secret store ${name}`,
  });
  return undefined;
};
