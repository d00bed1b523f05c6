import { type Command, inGroup, NAME, resourceCommands } from '../../../../cli/contract.ts';
import { type EventHook, formatProof, COLUMNS, formatTypes } from './view.ts';

/** Addresses to which other systems deliver events. */
export const commands: readonly Command[] = inGroup('React', [
  ...resourceCommands<EventHook>({
    noun: 'event-hook',
    title: 'event hook',
    path: '/event-hooks',
    columns: { name: 'name', proof: formatProof, 'event type': formatTypes, address: 'ingest_url' },
    item_columns: COLUMNS,
    set: {
      summary: 'create or change an event hook',
      description:
        'With only --event-type, the service creates a shared secret and shows it once; the sender puts it into the\n' +
        'X-Svc-Hook-Secret header. With --manifest or --hmac-header, the sender signs with its own key, which is read from\n' +
        'standard input (`-`) or a file (`@file`). Setting a hook again keeps its address and its shared secret.',
      flags: {
        'event-type': { type: 'string', value: '<type>', summary: 'type of its events; default hook.<name>' },
        manifest: {
          type: 'string',
          value: '<connector>',
          from: 'connector ls',
          summary: 'connector that describes how its deliveries are signed',
        },
        key: { type: 'string', value: '-|@file', summary: 'for --manifest: the signing key' },
        'hmac-header': { type: 'string', value: '<header>', summary: 'header that contains the HMAC of the body' },
        'hmac-key': { type: 'string', value: '-|@file', summary: 'for --hmac-header: the signing key' },
        'hmac-prefix': { type: 'string', value: '<text>', summary: 'text before the HMAC, e.g. sha256=' },
        'hmac-algorithm': {
          type: 'string',
          choices: ['sha256', 'sha1', 'sha512'],
          summary: 'hash algorithm (default sha256)',
        },
        'hmac-encoding': { type: 'string', choices: ['hex', 'base64'], summary: 'encoding of the HMAC (default hex)' },
      },
      examples: [
        ['svc event-hook set builds --event-type build.done', 'a shared secret'],
        [
          'svc event-hook set billing --manifest standard_webhooks --key @key.txt',
          'emits events of type billing.<type>',
        ],
        [
          'pass key | svc event-hook set shop --hmac-header X-Sig --hmac-key - --hmac-prefix sha256=',
          'an HMAC of the body',
        ],
      ],
      load: () => import('./set.ts'),
    },
    show: { summary: 'show an event hook: its address and how deliveries are verified' },
    remove: { summary: 'remove an event hook; its address accepts no more deliveries' },
  }),
  {
    name: 'event-hook rotate',
    summary: 'replace the secret of an event hook; with --overlap, the old secret stays valid for a while',
    description:
      'The service creates a shared secret itself. If deliveries are signed, --key sets the new signing key. Without\n' +
      '--overlap, the old secret expires immediately. While the old secret is valid, svc event-hook show prints when it\n' +
      'expires and when it was last used.',
    args: [NAME],
    flags: {
      key: { type: 'string', value: '-|@file', summary: 'the new signing key, if deliveries are signed' },
      overlap: { type: 'string', value: '<duration>', summary: 'how long the old secret stays valid, at most 30d' },
      'end-overlap': { type: 'boolean', summary: 'end the old secret now, without creating a new one' },
    },
    examples: [
      ['svc event-hook rotate builds', 'a new shared secret'],
      ['svc event-hook rotate builds --overlap 24h', 'senders have a day to change'],
      ['svc event-hook rotate builds --end-overlap', 'when every sender uses the new secret'],
    ],
    load: () => import('./rotate.ts'),
  },
]);
