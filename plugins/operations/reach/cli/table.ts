import type { Command } from '../../../../cli/contract.ts';

export const commands: readonly Command[] = [
  {
    name: 'reach',
    group: 'Events',
    summary: 'show what an event could start, wake and use, without running anything',
    description:
      'Reads handlers, graphs, schedules, webhooks and the scripts in them, and follows the event through everything that it\n' +
      'could start or wake, to the secrets, credentials, connectors, locks and agents that these use. By default the event is\n' +
      'untrusted, like a pull request from a fork. What nobody can know without a run is listed as unknown.\n' +
      '--assert exits with 1 and prints the path if the event reaches what must not be reached. Its forms:\n' +
      '  no secret, no credential, no account, no id-token, no connector, no lock, no agent, no workflow, no unknown,\n' +
      '  each except the last with or without a name: --assert "no credential deploy"',
    args: [{ name: 'type', summary: 'type of the event, e.g. forge.pull_request', from: 'events types' }],
    flags: {
      untrusted: { type: 'boolean', summary: "a stranger's event (the default)" },
      trusted: { type: 'boolean', summary: 'an event that a member emits, or a hook or forge vouches for' },
      assert: {
        type: 'string',
        value: '<assertion>',
        many: true,
        summary: 'fail if the event reaches this: "no secret", "no agent deploy"',
      },
      dot: { type: 'boolean', summary: 'print the graph for Graphviz' },
      depth: { type: 'number', least: 1, most: 64, summary: 'maximum number of steps from the event (default 32)' },
    },
    examples: [
      ['svc reach forge.pull_request', "what a stranger's pull request could start"],
      ['svc reach push --assert "no secret" --assert "no agent deploy"', 'in CI: exits with 1 if it could'],
      ['svc reach order.paid --trusted --dot', 'for Graphviz, which draws a picture of it'],
    ],
    load: () => import('./reach.ts'),
  },
];
