import type { Argument, Command } from '../../command.ts';

const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

/** Secrets with a kind, which says how a request is authenticated with them. */
export const credentialCommands: readonly Command[] = [
  {
    name: 'credential set',
    summary: 'store a credential, or replace it',
    about:
      'bearer takes --token; api-key takes --header and --value; basic takes --username and --password; url-token takes\n' +
      '--token. The secret one is read from standard input (`-`) or a file (`@file`).',
    args: [NAME],
    flags: {
      kind: {
        type: 'string',
        choices: ['bearer', 'api-key', 'basic', 'url-token'],
        summary: 'what it turns into when a request is sent',
      },
      token: { type: 'string', value: '-|@file', summary: 'of bearer and url-token' },
      header: { type: 'string', value: '<header>', summary: 'of api-key: the header that carries the key' },
      value: { type: 'string', value: '-|@file', summary: 'of api-key: the key' },
      username: { type: 'string', value: '<user>', summary: 'of basic' },
      password: { type: 'string', value: '-|@file', summary: 'of basic' },
    },
    examples: [
      ['pass bot | svc credential set bot --kind bearer --token -', 'a token'],
      ['svc credential set llm --kind api-key --header x-api-key --value @key.txt', 'a key in a header of its own'],
      ['svc credential set registry --kind basic --username ci --password @pass.txt', 'a username and a password'],
    ],
    load: () => import('./credential-set.ts'),
  },
  {
    name: 'credential list',
    summary: 'list the names and kinds of the credentials',
    args: [],
    flags: {},
    examples: [['svc credential list --json', 'for programs']],
    load: () => import('./credential-list.ts'),
  },
  {
    name: 'credential uses',
    summary: 'show what names a credential and would miss it',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./credential-uses.ts'),
  },
  {
    name: 'credential rm',
    summary: 'remove a credential',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./credential-rm.ts'),
  },
];
