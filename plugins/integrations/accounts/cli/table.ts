import { type Api, inGroup, listCommand, NAME, namedPath, type Run, showCommand } from '../../../../cli/contract.ts';

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

/** Identities on other systems. People connect them in the console. */
export const commands = inGroup('Vault', [
  listCommand<Account>({
    name: 'account ls',
    summary: 'list the connected accounts: provider, account at the provider, status',
    description:
      'Accounts are connected on the Connections page of the console. If an account must be reconnected, the last column\n' +
      'shows the address for it.',
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
  showCommand<Account>({
    name: 'account show',
    summary: 'show a connected account: its grant, its expiry and the reason for its status',
    args: [NAME],
    path: namedPath('/accounts'),
    columns: {
      name: 'name',
      provider: 'provider',
      account: formatAccount,
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
