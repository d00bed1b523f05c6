import { type Api, type Run, readSecret, usageError } from '../../../../cli/contract.ts';

type Account = Api.ListAccounts200['accounts'][number];

export const run: Run = async (invocation) => {
  const { args, flags, output, client } = invocation;
  if (flags.provider === undefined) throw usageError('--provider is missing', '`svc provider ls` lists them');
  const grant = String(flags.grant ?? (flags.key === undefined ? 'client-credentials' : 'jwt-bearer'));
  const [secret, argument] = grant === 'jwt-bearer' ? ['key', flags.key] : ['client-secret', flags.clientSecret];
  if (argument === undefined)
    throw usageError(`--${secret} is missing`, `--grant ${grant} needs --${secret} - or --${secret} @file`);
  const api = await client();
  const value = await readSecret(String(argument), `--${secret}`, invocation);
  const account = await api.json<Account>({
    method: 'POST',
    path: api.scoped(`/accounts/${encodeURIComponent(args[0]!)}/connect-client`),
    body: {
      provider: flags.provider,
      grant: grant.replaceAll('-', '_'),
      [secret === 'key' ? 'private_key' : 'client_secret']: value,
      client_id: flags.clientId,
      key_id: flags.keyId,
      algorithm: flags.algorithm,
      subject: flags.subject,
      audience: flags.audience,
      // Without any, the provider's own are asked for.
      scopes: [flags.scope ?? []].flat().length === 0 ? undefined : flags.scope,
    },
    expects: ['status'],
  });
  output.data(account, () => '');
  output.note(
    `Connected account ${account.name} as ${account.account.label}${account.expires_at === undefined ? '' : `; its token is valid until ${account.expires_at}`}`,
  );
  return undefined;
};
