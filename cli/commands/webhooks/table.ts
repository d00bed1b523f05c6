import type { Argument, Command } from '../../command.ts';
import { WORKFLOW_FLAGS } from '../runs/table.ts';

const NAME: Argument = { name: 'name', summary: 'letters, digits, _ and -; at most 63' };

/** Repositories at forges whose deliveries become events. */
export const webhookCommands: readonly Command[] = [
  {
    name: 'webhook set',
    summary: 'take the deliveries of a repository at a forge, or change what runs at its pushes',
    about:
      'Prints the address and the secret that the forge is to be given; the secret is shown this once. With\n' +
      '--auto-register the forge is told by its API instead. Pushes become events of type push, everything else\n' +
      'forge.<event>. --pipeline or --workflow names what runs at pushes as long as no handler takes pushes. A webhook\n' +
      'that is set again keeps its address, and its secret unless --rotate is given.',
    args: [NAME],
    flags: {
      forge: { type: 'string', value: '<connector>', summary: 'connector that describes the forge: forge_a, forge_b' },
      repo: { type: 'string', value: '<owner/name>', summary: 'the repository; the subject of all its events' },
      pipeline: { type: 'string', value: '<file>', summary: 'pipeline that runs at pushes; - reads standard input' },
      workflow: { type: 'string', value: '<file>', summary: 'workflow of any kind that runs at pushes' },
      as: WORKFLOW_FLAGS.as!,
      interpreter: WORKFLOW_FLAGS.interpreter!,
      env: WORKFLOW_FLAGS.env!,
      tag: { type: 'string', value: '<t>', many: true, summary: 'tag of the runs; k:v tags make a map' },
      requires: { type: 'string', value: '<cap>', many: true, summary: 'capability that the agent must have' },
      'api-base': {
        type: 'string',
        value: '<url>',
        summary: "address of the forge's API, where it has no host of its own",
      },
      'auto-register': { type: 'boolean', summary: 'make the webhook at the forge too, or bring it up to date there' },
      manual: { type: 'boolean', summary: 'the opposite: remove it at the forge' },
      credential: { type: 'string', value: '<name>', summary: 'bearer credential that may administer webhooks there' },
      rotate: { type: 'boolean', summary: 'make a new secret; the old one ends at once' },
    },
    examples: [
      ['svc webhook set site --forge forge_a --repo acme/site --workflow ci.sh', 'run ci.sh at every push'],
      [
        'svc webhook set site --forge forge_a --repo acme/site --auto-register --credential bot',
        'have the forge told by its API',
      ],
      ['svc webhook set mirror --forge forge_b --repo acme/site --rotate', 'a new secret'],
    ],
    load: () => import('./webhook-set.ts'),
  },
  {
    name: 'webhook ls',
    summary: 'list the webhooks',
    args: [],
    flags: {},
    examples: [['svc webhook ls --json', 'for programs']],
    load: () => import('./webhook-ls.ts'),
  },
  {
    name: 'webhook show',
    summary: 'show one webhook: its address and what runs at its pushes',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./webhook-show.ts'),
  },
  {
    name: 'webhook rm',
    summary: 'remove a webhook, at its forge too when it was registered there',
    args: [NAME],
    flags: {},
    examples: [],
    load: () => import('./webhook-rm.ts'),
  },
];
