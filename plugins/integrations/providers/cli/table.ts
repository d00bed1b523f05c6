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
]);
