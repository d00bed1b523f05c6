import { type Api, formatReference, inGroup, REFERENCE_FLAGS, resourceCommands } from '../../../../cli/contract.ts';
import { cliKind, KIND_FLAGS } from './kinds.ts';

type Credential = Pick<Api.Credential, 'name' | 'hosts' | 'from'> & { kind: string };

/** Which field is where: `token: main:app/bot#token`. */
const formatSource = ({ kind, from }: Credential): string | undefined =>
  from && `${KIND_FLAGS[kind]!.at(-1)}: ${formatReference(from)}`;

/** Typed secrets: the kind says how a request is authenticated. */
export const commands = inGroup(
  'Vault',
  resourceCommands<Credential>({
    noun: 'credential',
    path: '/credentials',
    columns: { name: 'name', kind: 'kind', hosts: ({ hosts }) => hosts?.join(', '), from: formatSource },
    set: {
      summary: 'create or replace a credential',
      description:
        'Set --token for bearer and url-token, --header and --value for api-key, and --username and --password for basic.\n' +
        'The secret value is read from standard input (`-`) or a file (`@file`). With --from-store and --path instead, svc reads it\n' +
        'from a secret store when it is used.',
      flags: {
        kind: {
          type: 'string',
          choices: ['bearer', 'api-key', 'basic', 'url-token'],
          summary: 'how the credential authenticates a request',
        },
        token: { type: 'string', value: '-|@file', summary: 'token, for bearer and url-token' },
        header: { type: 'string', value: '<header>', summary: 'for api-key: the header that contains the key' },
        value: { type: 'string', value: '-|@file', summary: 'for api-key: the key' },
        username: { type: 'string', value: '<user>', summary: 'for basic: the username' },
        password: { type: 'string', value: '-|@file', summary: 'for basic: the password' },
        ...REFERENCE_FLAGS,
        host: {
          type: 'string',
          many: true,
          value: '<host>',
          summary: 'the only host that gets it, or *.domain; jobs cannot get such a credential',
        },
      },
      examples: [
        ['pass bot | svc credential set bot --kind bearer --token -', 'a token'],
        ['svc credential set llm --kind api-key --header x-api-key --value @key.txt', 'a key in a header'],
        ['pass bot | svc credential set bot --kind bearer --token - --host api.example.com', 'limited to one host'],
        ['svc credential set registry --kind basic --username ci --password @pass.txt', 'a username and a password'],
        ['svc credential set bot --kind bearer --from-store main --path app/bot#token', 'from a secret store'],
      ],
      load: () => import('./set.ts'),
    },
    list: {
      name: 'credential ls',
      summary: 'list the names, kinds and allowed hosts of the credentials, and which come from secret stores',
      examples: [['svc credential ls --json', 'for programs']],
      transform: (credential) => ({ ...credential, kind: cliKind(credential.kind) }),
    },
    show: {
      name: 'credential uses',
      summary: 'show what uses a credential',
      load: () => import('./uses.ts'),
    },
  }),
);
