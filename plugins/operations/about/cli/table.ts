import { type Api, type Command, inGroup, showCommand } from '../../../../cli/contract.ts';

/** Commands that show the server and its plugins. */
export const commands: readonly Command[] = inGroup('Operate', [
  {
    name: 'plugin ls',
    summary: 'list the plugins that the server has loaded, and their health',
    description: "`svc plugins` reads this machine's plugins instead; `--json` shows what each adds.",
    load: () => import('./plugin-ls.ts'),
  },
  showCommand<Api.ServerView>({
    name: 'server show',
    summary: 'show the server: version, store, address, retention and rate limits',
    path: '/api/v1/server',
    columns: {
      version: 'version',
      role: 'role',
      node: 'node',
      store: 'store',
      address: 'public_url',
      'wake-ups': 'wake_ups',
      'lease (ms)': 'lease_ms',
      retention: ({ retention }) => retention ?? 'everything is kept',
      'rate limits': ({ rate_limit }) => rate_limit ?? 'defaults',
    },
  }),
  {
    name: 'server settings',
    summary: "list the server's settings and whether they are set; for org owners",
    description: 'Values that contain a secret are not shown.',
    load: () => import('./server-settings.ts'),
  },
]);
