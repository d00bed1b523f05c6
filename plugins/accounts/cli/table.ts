import { type Api, inGroup, listCommand, NAME, namedPath, type Run, showCommand } from '../../../cli/contract.ts';

type Account = Api.ListAccounts200['accounts'][number];

const FAR = ({ account: { id, label } }: Account) => (label === id ? id : `${label} (${id})`);
const usable = ({ status }: Account) => status === 'active' || status === 'refreshing';

const disable: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/accounts/${encodeURIComponent(args[0]!)}/disable`);
  const account = await api.json<Account>({ method: 'POST', path });
  output.data(account, () => '');
  output.note(`account ${args[0]} is disabled; connect it again at ${account.connect_url}`);
  return undefined;
};

const remove: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/accounts/${encodeURIComponent(args[0]!)}`);
  const removed = await api.json<Api.AccountRemoved>({ method: 'DELETE', path });
  output.data(removed, () => '');
  for (const warning of removed.warnings) output.note(`warning: ${warning}`);
  output.note(`account ${args[0]} is forgotten${removed.ended_at_provider ? ', and its grant is ended' : ''}`);
  return undefined;
};

/** Identities on other systems. People connect them in the console. */
export const commands = inGroup('Vault', [
  listCommand<Account>({
    name: 'account list',
    summary: 'list the connected accounts: provider, account there, status',
    about:
      'Accounts are connected on the Connections page of the console. Where one must be connected again, the last column\nhas its place.',
    examples: [['svc account list --json', 'for programs']],
    path: '/accounts',
    member: 'accounts',
    columns: {
      name: 'name',
      provider: 'provider',
      account: FAR,
      status: 'status',
      'connect again': (account) => (usable(account) ? '' : account.connect_url),
    },
  }),
  showCommand<Account>({
    name: 'account show',
    summary: 'show a connected account: who granted what, until when, and why it has its status',
    args: [NAME],
    path: namedPath('/accounts'),
    columns: {
      name: 'name',
      provider: 'provider',
      account: FAR,
      status: 'status',
      since: 'status_since',
      why: 'reason',
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
      'connect again': (account) => (usable(account) ? '' : account.connect_url),
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
    summary: 'switch a connected account off; connecting it again enables it',
    args: [NAME],
    load: async () => ({ run: disable }),
  },
  {
    name: 'account rm',
    summary: 'forget a connected account, and end its grant at the provider when possible',
    args: [NAME],
    load: async () => ({ run: remove }),
  },
]);
