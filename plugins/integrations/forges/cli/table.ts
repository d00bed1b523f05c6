import { type Command, inGroup, NAME, resourceCommands, WORKFLOW_FLAGS } from '../../../../cli/contract.ts';
import { COLUMNS, type Webhook, formatWorkflow } from './view.ts';

/** Commands for repositories at forges whose deliveries become events. */
export const commands: readonly Command[] = inGroup('React', [
  ...resourceCommands<Webhook>({
    noun: 'webhook',
    path: '/webhooks',
    columns: {
      name: 'name',
      forge: 'forge',
      repo: 'repo',
      workflow: formatWorkflow,
      registration: 'registration',
      address: 'delivery_url',
    },
    item_columns: COLUMNS,
    set: {
      summary: 'create a webhook for a repository at a forge, or change the workflow for its pushes',
      description:
        'Prints the address and the secret for the forge; the secret is shown only once. With --auto-register, svc\n' +
        "registers the webhook through the forge's API. Pushes become events of type push; everything else becomes forge.<event>.\n" +
        '--pipeline or --workflow sets the workflow for pushes that no handler matches. Setting a webhook again keeps its\n' +
        'address, and also its secret unless --rotate is set.',
      flags: {
        forge: {
          type: 'string',
          value: '<connector>',
          from: 'connector ls',
          summary: 'connector that describes the forge: forge_a, forge_b',
        },
        repo: { type: 'string', value: '<owner/name>', summary: 'the repository; the subject of all its events' },
        pipeline: {
          type: 'string',
          value: '<file>',
          summary: 'pipeline that runs on each push; - reads standard input',
        },
        workflow: { type: 'string', value: '<file>', summary: 'workflow of any kind that runs on each push' },
        ...WORKFLOW_FLAGS,
        'api-base': {
          type: 'string',
          value: '<url>',
          summary: "address of the forge's API, if it has no default host",
        },
        'auto-register': {
          type: 'boolean',
          summary: 'also create or update the webhook at the forge',
        },
        manual: { type: 'boolean', summary: 'do not register at the forge; remove the webhook there' },
        credential: {
          type: 'string',
          value: '<name>|ENV=name',
          many: true,
          summary: 'bearer credential for webhooks at the forge; ENV=name sets a script variable',
        },
        rotate: { type: 'boolean', summary: 'create a new secret; the old one is no longer valid' },
      },
      examples: [
        ['svc webhook set site --forge forge_a --repo acme/site --workflow ci.sh', 'run ci.sh for every push'],
        [
          'svc webhook set site --forge forge_a --repo acme/site --auto-register --credential bot',
          'register at the forge through its API',
        ],
        ['svc webhook set mirror --forge forge_b --repo acme/site --rotate', 'a new secret'],
      ],
      load: () => import('./set.ts'),
    },
    show: { summary: 'show a webhook: its address and the workflow for its pushes' },
    remove: { summary: 'remove a webhook, also at its forge if it was registered there' },
  }),
  {
    name: 'webhook rotate',
    summary: 'replace the secret of a webhook; with --overlap, the old secret stays valid for a while',
    description:
      'A webhook that svc registered gets the new secret at its forge too. Without --overlap, the old secret expires\n' +
      'immediately. While the old secret is valid, svc webhook show prints when it expires and when it last signed a\n' +
      'delivery.',
    args: [NAME],
    flags: {
      overlap: { type: 'string', value: '<duration>', summary: 'how long the old secret stays valid, at most 30d' },
      'end-overlap': { type: 'boolean', summary: 'end the old secret now, without creating a new one' },
    },
    examples: [['svc webhook rotate site --overlap 1h', 'you have an hour to change it at the forge']],
    load: () => import('./rotate.ts'),
  },
]);
