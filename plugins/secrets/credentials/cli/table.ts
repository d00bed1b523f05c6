import { inGroup, resourceCommands } from '../../../../cli/contract.ts';
import { cliKind } from './kinds.ts';

type Credential = { name: string; kind: string; hosts?: string[] };

/** Typed secrets: the kind says how a request is authenticated. */
export const commands = inGroup(
  'Vault',
  resourceCommands<Credential>({
    noun: 'credential',
    path: '/credentials',
    columns: { name: 'name', kind: 'kind', hosts: ({ hosts }) => hosts?.join(', ') },
    set: {
      summary: 'create or replace a credential',
      description:
        'Set --token for bearer and url-token, --header and --value for api-key, and --username and --password for basic.\n' +
        'The secret value is read from standard input (`-`) or a file (`@file`).',
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
        host: {
          type: 'string',
          many: true,
          value: '<host>',
          summary: 'the only host that may get it, or *.domain; jobs cannot get it then',
        },
      },
      examples: [
        ['pass bot | svc credential set bot --kind bearer --token -', 'a token'],
        ['svc credential set llm --kind api-key --header x-api-key --value @key.txt', 'a key in a header'],
        ['pass bot | svc credential set bot --kind bearer --token - --host api.example.com', 'limited to one host'],
        ['svc credential set registry --kind basic --username ci --password @pass.txt', 'a username and a password'],
      ],
      load: () => import('./set.ts'),
    },
    list: {
      name: 'credential ls',
      summary: 'list the names, kinds and allowed hosts of the credentials',
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
