import {
  type Api,
  type Argument,
  formatReference,
  inGroup,
  type Invocation,
  readReference,
  readSecret,
  REFERENCE_FLAGS,
  resourceCommands,
  usageError,
} from '../../../../cli/contract.ts';

const NAME: Argument = { name: 'NAME', summary: 'name of the variable in jobs: letters, digits and _' };

/** Reads a value, or where it is. */
async function readBody(invocation: Invocation) {
  const { args, flags } = invocation;
  const from = readReference(flags);
  if (from === undefined) {
    if (args[1] === undefined) throw usageError('the value is missing', '-, @file, or --from-store and --path');
    return { value: await readSecret(args[1], '<value>', invocation) };
  }
  if (args[1] !== undefined) throw usageError('a value cannot be combined with --from-store', 'use only one of them');
  return { from };
}

/** Named values of the project, for every trusted job. */
export const commands = inGroup(
  'Vault',
  resourceCommands<Api.ListSecrets200['secrets'][number]>({
    noun: 'secret',
    path: '/secrets',
    name: NAME,
    columns: { name: 'name', 'set at': 'set_at', from: ({ from }) => (from ? formatReference(from) : undefined) },
    set: {
      summary: 'create or replace a secret',
      description:
        'The value is read from standard input (`-`) or a file (`@file`), without the line break at its end. A value given as an\n' +
        "argument is visible in the process list and in your shell's history. It must be text: at least 4 characters, at most 48 KiB.",
      args: [
        NAME,
        { name: 'value', summary: '- for standard input, @file for a file, or the value itself', optional: true },
      ],
      examples: [
        ['pass npm/token | svc secret set NPM_TOKEN -', 'from standard input'],
        ['svc secret set DEPLOY_KEY @id_ed25519', 'from a file with several lines'],
        [
          'svc secret set DB_PASSWORD --from-store main --path app/db#password',
          'read from a secret store when it is used',
        ],
      ],
      flags: REFERENCE_FLAGS,
      body: readBody,
      confirmation: (made, { args }) => `${made ? 'Created' : 'Replaced'} secret ${args[0]}`,
    },
    list: {
      name: 'secret ls',
      summary: 'list the names of the secrets and when they were set; never their values',
      examples: [['svc secret ls --json', 'for programs']],
    },
    show: {
      name: 'secret get',
      summary: 'print the value of a secret; the audit log records this',
      examples: [['svc secret get NPM_TOKEN', 'prints only the value']],
      load: () => import('./get.ts'),
    },
    remove: { summary: 'remove a secret' },
  }),
);
