import { type Api, type Command, inGroup, showCommand } from '../../../cli/contract.ts';

/** What the server is, and what it loaded. */
export const commands: readonly Command[] = inGroup('Operate', [
  {
    name: 'plugin ls',
    summary: 'list the plugins that the server has loaded, and their health',
    about: '`svc plugins` reads the plugins of this machine instead; `--json` says what each adds.',
    load: () => import('./plugin-ls.ts'),
  },
  showCommand<Api.ServerView>({
    name: 'server show',
    summary: 'show what the server is: version, store, address, retention, rate limits',
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
      'rate limits': ({ rate_limit }) => rate_limit ?? 'the default ones',
    },
  }),
  {
    name: 'server settings',
    summary: 'list which settings of the server are set; for owners of an org',
    about: 'Values are shown of settings that hold no secret.',
    load: () => import('./server-settings.ts'),
  },
]);
