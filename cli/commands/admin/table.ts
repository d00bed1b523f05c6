import type { Command } from '../../command.ts';

const admin = async (name: string) => ({ run: (await import('./run-admin.ts')).adminCommand(name) });

/** Administration of a database; run where the server's settings are. */
export const adminCommands: readonly Command[] = [
  {
    name: 'admin bootstrap',
    summary: 'make the first org, project and owner of a new database',
    about: 'Prints the owner token once, on standard output. Refused when there is an owner already, unless --force.',
    args: [],
    flags: {
      org: { type: 'string', summary: 'name of the org' },
      project: { type: 'string', summary: 'name of the project' },
      user: { type: 'string', summary: 'name of the owner' },
      force: { type: 'boolean', summary: 'also when there is an owner' },
    },
    examples: [
      ['svc admin bootstrap --org acme --project main --user ana > token.txt', 'then: svc login --token @token.txt'],
    ],
    load: () => admin('bootstrap'),
  },
  {
    name: 'admin rotate-org-key',
    summary: 'seal what is written from now on with a new key of the org',
    args: [],
    flags: { org: { type: 'string', summary: 'name of the org' } },
    examples: [],
    load: () => admin('rotate-org-key'),
  },
  {
    name: 'admin rekey',
    summary: 'wrap every org key with a new master key',
    about:
      'The present key comes from SVC_MASTER_KEY, the new one from SVC_NEW_MASTER_KEY. Killed anywhere, it goes on when run again.',
    args: [],
    flags: {},
    examples: [],
    load: () => admin('rekey'),
  },
];
