import type { Argument, Command } from '../../command.ts';

const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

/** Inbound endpoints that turn deliveries from outside into events. */
export const hookCommands: readonly Command[] = [
  {
    name: 'event-hook set',
    summary: 'make an event hook, or change what it is',
    about:
      'With --event-type alone the service makes a shared secret, shown this once; the sender puts it into the header\n' +
      'X-Svc-Hook-Secret. With --manifest or --hmac-header the sender signs with a key of its own, which is read from\n' +
      'standard input (`-`) or a file (`@file`). A hook that is set again keeps its address and its shared secret.',
    args: [NAME],
    flags: {
      'event-type': { type: 'string', value: '<type>', summary: 'type of every event; default hook.<name>' },
      manifest: { type: 'string', value: '<connector>', summary: 'connector that says how its deliveries are signed' },
      key: { type: 'string', value: '-|@file', summary: 'of --manifest: the signing key' },
      'hmac-header': { type: 'string', value: '<header>', summary: 'header that holds the HMAC of the body' },
      'hmac-key': { type: 'string', value: '-|@file', summary: 'of --hmac-header: the signing key' },
      'hmac-prefix': { type: 'string', value: '<text>', summary: 'what stands before the HMAC: sha256=' },
      'hmac-algorithm': { type: 'string', choices: ['sha256', 'sha1', 'sha512'], summary: 'default sha256' },
      'hmac-encoding': { type: 'string', choices: ['hex', 'base64'], summary: 'default hex' },
    },
    examples: [
      ['svc event-hook set builds --event-type build.done', 'a shared secret'],
      ['svc event-hook set billing --manifest standard_webhooks --key @key.txt', 'events billing.<type>'],
      [
        'pass key | svc event-hook set shop --hmac-header X-Sig --hmac-key - --hmac-prefix sha256=',
        'an HMAC of the body',
      ],
    ],
    load: () => import('./event-hook-set.ts'),
  },
  {
    name: 'event-hook rotate',
    summary: 'replace the secret of an event hook; the old one counts no more',
    about: 'A shared secret is made by the service. Where deliveries are signed, --key gives the new signing key.',
    args: [NAME],
    flags: { key: { type: 'string', value: '-|@file', summary: 'the new signing key, where deliveries are signed' } },
    examples: [['svc event-hook rotate builds', 'a new shared secret']],
    load: () => import('./event-hook-rotate.ts'),
  },
  {
    name: 'event-hook ls',
    summary: 'list the event hooks',
    args: [],
    flags: {},
    examples: [['svc event-hook ls --json', 'for programs']],
    load: () => import('./event-hook-ls.ts'),
  },
  {
    name: 'event-hook show',
    summary: 'show one event hook: its address and how deliveries prove themselves',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./event-hook-show.ts'),
  },
  {
    name: 'event-hook rm',
    summary: 'remove an event hook; nothing is delivered to its address any more',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./event-hook-rm.ts'),
  },
];
