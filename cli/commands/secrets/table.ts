import type { Argument, Command } from '../../command.ts';

const NAME: Argument = { name: 'NAME', summary: 'the variable that jobs get it as: letters, digits and _' };

/** Named values of the project, for every trusted job. */
export const secretCommands: readonly Command[] = [
  {
    name: 'secret set',
    summary: 'create or update a secret',
    about:
      'The value is read from standard input (`-`) or a file (`@file`), without the line break at its end. Given as it\n' +
      'is, it stands in the process list and in the history of your shell. 4 characters to 48 KiB of text.',
    args: [NAME, { name: 'value', summary: '- for standard input, @file for a file, or the value itself' }],
    flags: {},
    examples: [
      ['pass npm/token | svc secret set NPM_TOKEN -', 'from standard input'],
      ['svc secret set DEPLOY_KEY @id_ed25519', 'from a file, with all its lines'],
    ],
    load: () => import('./secret-set.ts'),
  },
  {
    name: 'secret list',
    summary: 'list the names of the secrets and when they were set; never their values',
    args: [],
    flags: {},
    examples: [['svc secret list --json', 'for programs']],
    load: () => import('./secret-list.ts'),
  },
  {
    name: 'secret get',
    summary: 'print the value of one secret; the audit keeps that you did',
    args: [NAME],
    flags: {},
    examples: [['svc secret get NPM_TOKEN', 'the value and nothing else']],
    load: () => import('./secret-get.ts'),
  },
  {
    name: 'secret rm',
    summary: 'delete a secret',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./secret-rm.ts'),
  },
];
