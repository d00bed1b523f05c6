import {
  type Api,
  inGroup,
  listCommand,
  NAME,
  namedPath,
  type Run,
  runTest,
  showCommand,
} from '../../../../cli/contract.ts';

type Account = Api.ListAccounts200['accounts'][number];

const formatAccount = ({ account: { id, label } }: Account) => (label === id ? id : `${label} (${id})`);
const isUsable = ({ status }: Account) => status === 'active' || status === 'refreshing';

const disable: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/accounts/${encodeURIComponent(args[0]!)}/disable`);
  const account = await api.json<Account>({ method: 'POST', path, expects: ['connect_url'] });
  output.data(account, () => '');
  output.note(`Disabled account ${args[0]}; reconnect it at ${account.connect_url}`);
  return undefined;
};

const remove: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/accounts/${encodeURIComponent(args[0]!)}`);
  const removed = await api.json<Api.AccountRemoved>({ method: 'DELETE', path });
  output.data(removed, () => '');
  for (const warning of removed.warnings) output.note(`warning: ${warning}`);
  output.note(`Removed account ${args[0]}${removed.ended_at_provider ? ' and ended its grant' : ''}`);
  return undefined;
};

/** Identities on other systems. People connect those that act as them in the console. */
export const commands = inGroup('Vault', [
  listCommand<Account>({
    name: 'account ls',
    summary: 'list the connected accounts: provider, account at the provider, status',
    description:
      'Accounts that act as a person are connected on the Connections page of the console. If an account must be reconnected,\n' +
      'the last column shows the address for it.',
    examples: [['svc account ls --json', 'for programs']],
    path: '/accounts',
    member: 'accounts',
    columns: {
      name: 'name',
      provider: 'provider',
      account: formatAccount,
      status: 'status',
      'reconnect at': (account) => (isUsable(account) ? '' : account.connect_url),
    },
  }),
  {
    name: 'account add',
    summary: 'connect an account that needs no person, with its own client',
    description:
      'The provider must offer the grant (`svc provider ls`). svc seals the secret or key together with the account, and gets a\n' +
      'new token before the old one expires. Jobs get only the token. The secret value is read from standard input (`-`) or a\n' +
      'file (`@file`). Accounts that act as a person are connected on the Connections page of the console.',
    args: [NAME],
    flags: {
      provider: { type: 'string', value: '<provider>', summary: 'one of the providers in `svc provider ls`' },
      grant: {
        type: 'string',
        choices: ['client-credentials', 'jwt-bearer'],
        summary: 'default: jwt-bearer with --key, otherwise client-credentials',
      },
      'client-id': { type: 'string', value: '<id>', summary: 'client at the provider; for jwt-bearer, the `iss`' },
      'client-secret': { type: 'string', value: '-|@file', summary: 'for client-credentials: its secret' },
      key: { type: 'string', value: '-|@file', summary: 'for jwt-bearer: private key (PEM) or JSON key file' },
      'key-id': { type: 'string', value: '<kid>', summary: 'for jwt-bearer: the `kid`' },
      algorithm: {
        type: 'string',
        choices: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
        summary: 'for jwt-bearer; default: the usual algorithm for the key',
      },
      subject: {
        type: 'string',
        value: '<sub>',
        summary: 'for jwt-bearer: the subject that the token acts as; default: the client',
      },
      audience: { type: 'string', value: '<aud>', summary: 'for jwt-bearer, default: the token endpoint' },
      scope: {
        type: 'string',
        many: true,
        value: '<scope>',
        summary: 'can be repeated; default: the scopes of the provider',
      },
    },
    examples: [
      [
        'svc account add billing --provider identity --client-id billing --client-secret @secret.txt',
        'with a client secret',
      ],
      ['svc account add sheets --provider google --key @service-account.json', 'with the key of a service account'],
    ],
    load: () => import('./add.ts'),
  },
  showCommand<Account>({
    name: 'account show',
    summary: 'show a connected account: its grant, its expiry and the reason for its status',
    args: [NAME],
    path: namedPath('/accounts'),
    columns: {
      name: 'name',
      provider: 'provider',
      account: formatAccount,
      grant: 'grant',
      status: 'status',
      since: 'status_since',
      reason: 'reason',
      granter: 'granter',
      scopes: ({ scopes }) => scopes.join(' '),
      'not granted': ({ scopes_missing }) => scopes_missing.join(' '),
      granted: 'granted_at',
      expires: 'expires_at',
      renewal: 'renewal',
      renewed: 'renewed_at',
      'last used': 'last_used_at',
      'by run': 'last_used_by',
      'last error': 'last_error',
      'reconnect at': (account) => (isUsable(account) ? '' : account.connect_url),
    },
  }),
  {
    name: 'account uses',
    summary: 'show what uses a connected account',
    args: [NAME],
    load: () => import('./uses.ts'),
  },
  {
    name: 'account test',
    summary: 'send a small request with a connected account, and show whether it works',
    description:
      "The request is the provider's `test_url` or identity address. Prints works, refused, unreachable or untested, and what\n" +
      'to do, but never the token or the response. Exits with 1 unless the account works.',
    args: [NAME],
    examples: [['svc account test mail', 'before a workflow relies on it']],
    load: async () => ({ run: (invocation) => runTest(invocation, 'accounts') }),
  },
  {
    name: 'account disable',
    summary: 'disable a connected account; reconnecting it enables it again',
    args: [NAME],
    load: async () => ({ run: disable }),
  },
  {
    name: 'account rm',
    summary: 'remove a connected account, and end its grant at the provider if possible',
    args: [NAME],
    load: async () => ({ run: remove }),
  },
]);
