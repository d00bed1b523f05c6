import {
  type Api,
  type Argument,
  type Command,
  inGroup,
  listCommand,
  NAME,
  removeCommand,
  namedPath,
} from '../../../../cli/contract.ts';

const VERSIONED: Argument = { name: 'name', summary: 'a stored graph, or one version of it: deploy@3' };
const ANY: Omit<Argument, 'name'> = { summary: 'a file, -, a stored graph, or one version of it: deploy@3' };

/** Stored graphs. */
export const commands: readonly Command[] = inGroup('Graphs', [
  {
    name: 'graph save',
    summary: 'check a graph and save it',
    description:
      'Every save creates a version, unless the document is unchanged. A submission by name runs the latest version;\n' +
      'triggers run the published one. Warnings list everything that would currently make a run fail.',
    args: [NAME, { name: 'file', summary: 'the graph as JSON; - reads standard input' }],
    examples: [['svc graph save deploy deploy.json', 'a new version of deploy']],
    load: () => import('./save.ts'),
  },
  {
    name: 'graph show',
    summary: 'show a graph with its document',
    args: [VERSIONED],
    flags: { source: { type: 'boolean', summary: 'only the document' } },
    examples: [['svc graph show deploy@3 --source', 'the document of an earlier version']],
    load: () => import('./show.ts'),
  },
  listCommand<Api.GraphEntry>({
    name: 'graph ls',
    summary: 'list the graphs, newest first',
    path: '/graphs',
    member: 'graphs',
    columns: {
      name: 'name',
      version: 'version_number',
      published: 'published_version',
      nodes: 'nodes',
      triggers: ({ triggers = [] }) => triggers.join(' '),
      title: 'title',
      'set at': 'set_at',
    },
    examples: [['svc graph ls --json', 'for programs']],
  }),
  listCommand<Api.GraphVersion>({
    name: 'graph versions',
    summary: 'list the versions of a graph, newest first',
    args: [NAME],
    path: (api, invocation) => api.scoped(`/graphs/${encodeURIComponent(invocation.args[0]!)}/versions`),
    member: 'versions',
    columns: {
      version: 'version_number',
      published: ({ published }) => (published ? 'yes' : ''),
      'set at': 'set_at',
      'set by': 'set_by',
    },
    examples: [['svc graph versions deploy', 'shows which version is published']],
  }),
  {
    name: 'graph publish',
    summary: "register a graph's triggers so that they start it",
    description:
      'A webhook trigger gets an event hook. Its address and secret are shown once. An event trigger gets a handler, and a\n' +
      'schedule trigger gets a schedule. All are named graph.<graph>.<node>. Publishing the graph again updates them, and\n' +
      'removes those whose triggers are no longer in the graph.',
    args: [VERSIONED],
    examples: [['svc graph publish deploy', 'its latest version']],
    load: () => import('./publish.ts'),
  },
  {
    name: 'graph unpublish',
    summary: "unregister a graph's triggers; runs continue",
    args: [NAME],
    load: () => import('./unpublish.ts'),
  },
  {
    name: 'graph requirements',
    summary: "show whether a graph's credentials exist; exits with 1 unless all of them can be used",
    args: [VERSIONED],
    examples: [['svc graph requirements deploy', 'check before you publish it']],
    load: () => import('./requirements.ts'),
  },
  {
    name: 'graph diff',
    summary: 'show the nodes and fields in which two graphs differ',
    args: [
      { name: 'a', ...ANY },
      { name: 'b', ...ANY },
    ],
    flags: { 'exit-code': { type: 'boolean', summary: 'exit with 1 if they differ' } },
    examples: [['svc graph diff deploy deploy.json', 'what a save would change']],
    load: () => import('./diff.ts'),
  },
  {
    name: 'graph types',
    summary: 'list the node types, or show the config of one',
    args: [{ name: 'type', summary: 'a node type', optional: true }],
    examples: [['svc graph types event', 'the members of its config']],
    lists: {
      path: (api) => api.scoped('/node-types'),
      member: 'node_types',
      key: 'type',
      columns: { type: 'type', title: 'title' },
    },
    load: () => import('./types.ts'),
  },
  {
    name: 'expr',
    summary: 'evaluate a graph expression with given values',
    description:
      'The names are input, nodes, item, index and run, or only event for a `when`. --names sets them as one JSON object;\n' +
      '--input sets only input. Exits with 1 if there is no value.',
    args: [{ name: 'expression', summary: 'CEL' }],
    flags: {
      names: { type: 'string', value: '<json>', summary: 'values by name; - reads standard input' },
      input: { type: 'string', value: '<json>', summary: 'the value of input' },
    },
    examples: [
      ["svc expr 'input.total > 10' --input '{\"total\":12}'", 'true'],
      ['svc expr \'nodes.a.output.n + 1\' --names \'{"nodes":{"a":{"output":{"n":1}}}}\'', '2'],
    ],
    load: () => import('./expr.ts'),
  },
  removeCommand({
    name: 'graph rm',
    summary: 'remove a graph, its versions and its trigger registrations; runs continue',
    args: [NAME],
    path: namedPath('/graphs'),
    confirmation: ({ args }) => `Removed graph ${args[0]}`,
  }),
]);
