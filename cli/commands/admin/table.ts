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
    about: 'What was sealed before stays readable. Name one org, or take all.',
    args: [],
    flags: {
      org: { type: 'string', summary: 'name of the org' },
      all: { type: 'boolean', summary: 'every org that has a key' },
    },
    examples: [['svc admin rotate-org-key --all', 'after somebody with access has left']],
    load: () => admin('rotate-org-key'),
  },
  {
    name: 'admin rekey',
    summary: 'wrap every org key with a new master key',
    about:
      'The present key comes from SVC_MASTER_KEY, the new one from --key-file or SVC_NEW_MASTER_KEY. Killed anywhere, it\n' +
      'goes on when it is run again.',
    args: [],
    flags: {
      'key-file': {
        type: 'string',
        value: '<path|->',
        summary: 'file with the new key in base64; - reads standard input',
      },
      'keep-old': { type: 'boolean', summary: 'leave the old key valid; a later call without it ends the change' },
      abandon: { type: 'boolean', summary: 'give an unfinished change up' },
    },
    examples: [
      ['svc admin rekey --key-file new.key --keep-old', 'then start every server with the new key'],
      ['svc admin rekey --key-file new.key', 'and end the change'],
    ],
    load: () => admin('rekey'),
  },
];
