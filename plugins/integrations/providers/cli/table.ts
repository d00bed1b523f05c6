import { type Api, inGroup, listCommand } from '../../../../cli/contract.ts';

type Provider = Api.ListProviders200['providers'][number];

const yesOrNo = (value: boolean | undefined) => (value === undefined ? '' : value ? 'yes' : 'no');

/** Commands for the systems whose accounts people can connect. */
export const commands = inGroup('Vault', [
  listCommand<Provider>({
    name: 'provider ls',
    summary: 'list the providers whose accounts can be connected',
    description:
      'The operator configures the providers with SVC_CONNECTED_ACCOUNT_PROVIDERS. `svc doctor` checks their endpoints.\n' +
      'Accounts are connected on the Connections page of the console.',
    examples: [['svc provider ls --json', 'with all details']],
    path: '/providers',
    member: 'providers',
    columns: {
      name: 'name',
      title: 'title',
      grants: ({ grants }) => grants.join(' '),
      scopes: ({ scopes }) => scopes.join(' '),
      'rotates tokens': ({ capabilities }) => yesOrNo(capabilities?.rotates_refresh_token),
      'revokes on reuse': ({ capabilities }) => yesOrNo(capabilities?.reuse_revokes_family),
      'revoked on removal': ({ ends_grants }) => yesOrNo(ends_grants),
    },
  }),
  {
    name: 'provider presets',
    summary: 'list the public providers that svc knows, for the operator to configure',
    description:
      'Their addresses and capabilities are part of this version of svc. The command does not contact a server.',
    examples: [['svc provider presets --json', 'with all members and sources']],
    load: async () => ({ run: (await import('./presets.ts')).list }),
  },
  {
    name: 'provider new',
    summary: 'write the settings of a provider from a preset',
    description:
      'Prints an entry of SVC_CONNECTED_ACCOUNT_PROVIDERS, or adds it to a file with --to. The client secret stays in the file\n' +
      'or variable in --client-secret. Without --client-id, the provider offers only grants that need no person.',
    args: [{ name: 'PRESET', summary: 'one of the presets in `svc provider presets`' }],
    flags: {
      name: { type: 'string', value: '<name>', summary: 'name of the provider; default: the name of the preset' },
      'client-id': { type: 'string', value: '<id>', summary: 'the ID of the application that you registered there' },
      'client-secret': {
        type: 'string',
        value: '@file|env:NAME',
        summary: "where the server reads the client's secret",
      },
      scope: {
        type: 'string',
        many: true,
        value: '<scope>',
        summary: 'can be repeated; default: the scopes of the preset',
      },
      to: { type: 'string', value: '<file>', summary: 'JSON file with the array of providers' },
    },
    examples: [
      [
        'svc provider new github --client-id Iv1.abc --client-secret @/etc/svc/github.secret --to providers.json',
        'adds it to a file',
      ],
      ['svc provider new google --scope https://www.googleapis.com/auth/spreadsheets', 'for service accounts only'],
    ],
    load: async () => ({ run: (await import('./presets.ts')).create }),
  },
]);
