import type { PluginList } from '../../../../../cli/generated/api.ts';

export type PluginView = PluginList['plugins'][number];

/** What contributions to a point are, for people: of one and of many. Points that only join plugins are not named. */
const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  'kernel.HttpRoutes': ['route', 'routes'],
  'kernel.HealthChecks': ['health check', 'health checks'],
  'http.HttpPages': ['page path', 'page paths'],
  'console.ConsolePages': ['page', 'pages'],
  'console.ConsolePanels': ['panel', 'panels'],
  'flows.ChangingNodeTypes': ['source of changing node types', 'sources of changing node types'],
  'flows.FlowNodes': ['flow node type', 'flow node types'],
  'graphs.GraphNodeTypes': ['graph node type', 'graph node types'],
  'manifests.ConnectorChecks': ['check of connectors', 'checks of connectors'],
  'manifests.Connectors': ['connector', 'connectors'],
  'runs.WorkflowKinds': ['kind of workflow', 'kinds of workflows'],
  'agents.Executors': ['executor', 'executors'],
  'scripts.Verbs': ['script verb', 'script verbs'],
  'sessions.SignInMethods': ['sign-in method', 'sign-in methods'],
  'retention.Prunables': ['kind of pruned records', 'kinds of pruned records'],
};

const OTHER = ['contribution to another plugin', 'contributions to other plugins'] as const;

const counted = (names: readonly string[], [one, many]: readonly [string, string]) =>
  `${names.length} ${names.length === 1 ? one : many}`;

/** `3 routes` and which; at the end those to points that only authors of plugins know. */
export function addedBy({ adds }: PluginView): { text: string; names: readonly string[] }[] {
  const known = adds.flatMap(({ point, names }) => {
    const words = WORDS[point];
    return words && names.length > 0 ? [{ text: counted(names, words), names }] : [];
  });
  const others = adds.filter(({ point, names }) => !WORDS[point] || names.length === 0).map(({ point }) => point);
  return others.length === 0 ? known : [...known, { text: counted(others, OTHER), names: others }];
}

/** Connectors are plugins made of data; they are many and alike, and have a page of their own. */
export const isConnector = ({ id }: PluginView): boolean => id.startsWith('connector:');

export function healthOf({ health }: PluginView): 'ok' | 'failing' | undefined {
  if (health.length === 0) return undefined;
  return health.every(({ ok }) => ok) ? 'ok' : 'failing';
}
