import { type Api, type Command, inGroup, listCommand, NAME, toolCommand } from '../../../../cli/contract.ts';

type Manifest = Api.ConnectorManifest;

interface Problem {
  file: string;
  pointer: string;
  message: string;
  fix: string;
}

/** Files that the server cannot use as they are now. */
const formatProblems = (problems: readonly Problem[]): string | undefined =>
  problems.length === 0
    ? undefined
    : problems.map(({ file, pointer, message, fix }) => `invalid: ${file} ${pointer} ${message}; ${fix}`).join('\n');

const listActions = ({ actions = {} }: Manifest): string[] => Object.keys(actions);
const formatProof = ({ hook }: Manifest): string => (hook === undefined ? '' : hook.token ? 'token' : 'signature');

const ACTION = { name: 'connector.action', summary: 'for example team_chat.post_message' };

/** A connector says how its credentials are tested. */
const credentialTest: Command = {
  name: 'credential test',
  summary: 'send a harmless request with a credential, and show whether it is accepted',
  description:
    "The request is the `test` of a connector, or a GET to --url; the credential's allowed hosts apply. Prints works, refused,\n" +
    'unreachable, unclear or untested, and what to do; nothing of the credential or the response. Exits with 1 unless it works.',
  args: [NAME],
  flags: {
    connector: { type: 'string', value: '<name>', summary: 'send the test request of this connector' },
    with: { type: 'string', value: '<json>', summary: 'the fields that it reads: \'{"site": "https://…"}\'' },
    url: {
      type: 'string',
      value: '<url>',
      summary: 'instead of --connector; {credential} is where a url-token belongs',
    },
  },
  examples: [
    ['svc credential test bot --connector team_chat', 'before a workflow relies on it'],
    ['svc credential test bot --url https://api.example.org/me', 'without a connector'],
  ],
  load: () => import('./test-credential.ts'),
};

/** Commands that list connectors, and tools for their authors. */
const connectorCommands: readonly Command[] = inGroup('Connect', [
  listCommand<Manifest>({
    name: 'connector ls',
    summary: "list the server's connectors: their actions, and how their deliveries are verified",
    path: '/connectors',
    member: 'connectors',
    columns: {
      name: 'name',
      title: 'title',
      credential: ({ credential }) => credential && `${credential.kind}${credential.required === false ? '?' : ''}`,
      actions: listActions,
      hook: formatProof,
    },
    note: ({ problems = [] }) => formatProblems(problems as readonly Problem[]),
    examples: [['svc connector ls --json', 'the complete manifests']],
  }),
  {
    name: 'connector show',
    summary: 'show a connector: its fields, and the inputs of its actions',
    args: [{ name: 'name', summary: 'the name of a connector' }],
    examples: [['svc connector show team_chat', 'the inputs of a team_chat.post_message node']],
    load: () => import('./show.ts'),
  },
  toolCommand(
    { plugin: 'connectors', tool: 'connector-check', hides: ['SVC_CONNECTORS'] },
    {
      name: 'connector check',
      summary: 'check manifests and run their examples, without a server',
      description:
        'A file, a folder with a manifest.json, or a folder of such folders. Each problem is shown with its file, pointer,\n' +
        'rule and a fix. Exits with 1 if there is a problem.',
      args: [{ name: 'path', summary: 'a manifest, or a folder', rest: true }],
      examples: [['svc connector check ./my_chat', 'before you add it to SVC_CONNECTORS']],
    },
  ),
  toolCommand(
    { plugin: 'connectors', tool: 'connector-render', hides: ['SVC_CONNECTORS'] },
    {
      name: 'connector render',
      summary: "print an action's request with *** for its credential, without sending it",
      args: [ACTION],
      flags: {
        with: { type: 'string', value: '<json>', summary: 'the fields: \'{"channel": "#ops"}\'' },
        input: { type: 'string', value: '<json>', summary: 'the inputs: \'{"text": "hello"}\'' },
        credential: {
          type: 'string',
          value: '<name>',
          summary: 'show a credential even if the connector does not need one',
        },
        key: { type: 'string', value: '<key>', summary: "the node's idempotency key" },
        from: { type: 'string', value: '<path>', summary: 'take the manifest from this file or folder' },
      },
      examples: [
        [
          'svc connector render team_chat.post_message --with \'{"channel":"#ops"}\' --input \'{"text":"hello"}\'',
          'needs no server and no credential',
        ],
      ],
    },
  ),
  {
    name: 'connector init',
    summary: 'write a working connector to start from: a folder with a manifest and a README',
    args: [{ name: 'name', summary: 'a lowercase letter, then lowercase letters, digits, _ and -' }],
    examples: [['svc connector init my_chat', 'creates ./my_chat']],
    load: () => import('./init.ts'),
  },
  {
    name: 'connector import',
    summary: 'create a connector from an OpenAPI 3 document: a folder with a manifest',
    description:
      'Each operation becomes an action with its parameters, its body, the credential and an example. What a connector cannot\n' +
      'send is left out and reported.',
    args: [{ name: 'file', summary: 'the document, as YAML or JSON' }],
    flags: {
      operations: { type: 'string', value: '<ids>', summary: 'only these operations, separated by commas' },
      name: { type: 'string', value: '<name>', summary: 'the name of the connector; by default, from the title' },
    },
    examples: [
      ['svc connector import openapi.yaml --operations listPets,createPet', 'creates a folder with two actions'],
    ],
    anywhere: true,
    load: () => import('./import.ts'),
  },
  {
    name: 'connector record',
    summary: 'call an action, and add the call and its response to the examples of a manifest',
    description:
      'The server runs the action, so it must have the same connector. The credential and members that are named like secrets\n' +
      'are masked.',
    args: [ACTION],
    flags: {
      from: { type: 'string', value: '<path>', summary: 'the manifest that gets the example; required' },
      with: { type: 'string', value: '<json>', summary: 'the fields: \'{"channel": "#ops"}\'' },
      input: { type: 'string', value: '<json>', summary: 'the inputs: \'{"text": "hello"}\'' },
      credential: { type: 'string', value: '<name>', summary: 'the credential or account for the call' },
    },
    examples: [
      ['svc connector record tickets.open --from tickets.json --credential bot --input \'{"title": "a"}\'', 'sends it'],
    ],
    load: () => import('./record.ts'),
  },
]);

export const commands: readonly Command[] = [...inGroup('Vault', [credentialTest]), ...connectorCommands];
