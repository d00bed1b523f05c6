import { adminCommand, type Command } from '../../../../cli/contract.ts';

/** Commands that change keys. They must run with the settings of the server. */
export const commands: readonly Command[] = [
  adminCommand('rotate-org-key', {
    summary: 'create a new key for an org; new values are sealed with it',
    description: 'Older values stay readable. Specify one org, or use --all.',
    flags: {
      org: { type: 'string', summary: 'name of the org' },
      all: { type: 'boolean', summary: 'all orgs that have a key' },
    },
    examples: [['svc admin rotate-org-key --all', 'after someone with access has left']],
  }),
  adminCommand('rekey', {
    summary: 'replace the master key: encrypt every org key with a new one',
    description:
      'The current key comes from SVC_MASTER_KEY, the new one from --key-file or SVC_NEW_MASTER_KEY. If the command is killed, it\n' +
      'continues when you run it again.',
    flags: {
      'key-file': {
        type: 'string',
        value: '<path|->',
        summary: 'file with the new key in base64; - reads standard input',
      },
      'keep-old': {
        type: 'boolean',
        summary: 'keep the old key valid; run the command again without this flag to complete the change',
      },
      abandon: { type: 'boolean', summary: 'abandon an unfinished change' },
    },
    examples: [
      ['svc admin rekey --key-file new.key --keep-old', 'afterwards, start every server with the new key'],
      ['svc admin rekey --key-file new.key', 'complete the change'],
    ],
  }),
];
