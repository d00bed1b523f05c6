import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { readAuditFilters } from '../audit/filters.ts';
import { readCompare } from '../compare/address.ts';
import { readWords } from '../connectors/words.ts';
import { readGraphSearch, readGraphWords } from '../graphs/search.ts';
import { readLetterFilters } from '../events/letter-filters.ts';
import { readEventFilters, readTexts } from '../events/filters.ts';
import { readListAddress } from '../kit/list-address.ts';
import { readNewRun } from '../new-run/address.ts';
import { readWindow } from '../overview/windows.ts';
import { readRun } from '../run/address.ts';
import { readRunFilters } from '../runs/filters.ts';
import { Home } from './home.tsx';
import { Missing } from './missing.tsx';
import { ProjectLayout } from './project.tsx';
import { SignIn } from './sign-in.tsx';

const root = createRootRoute({ notFoundComponent: Missing });

const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignIn,
  validateSearch: ({ back }: Record<string, unknown>): { back?: string } => (typeof back === 'string' ? { back } : {}),
});

export const project = createRoute({
  getParentRoute: () => root,
  path: '/orgs/$org/projects/$project',
  component: ProjectLayout,
  // The frame stays when another project or page is shown in it.
  remountDeps: () => null,
});

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('../overview/overview.tsx'), 'Overview'),
  validateSearch: readWindow,
});

const insights = createRoute({
  getParentRoute: () => project,
  path: 'insights',
  component: lazyRouteComponent(() => import('../insights/insights.tsx'), 'Insights'),
  validateSearch: readWindow,
});

export const runs = createRoute({
  getParentRoute: () => project,
  path: 'runs',
  component: lazyRouteComponent(() => import('../runs/runs.tsx'), 'Runs'),
  validateSearch: readRunFilters,
});

const newRun = createRoute({
  getParentRoute: () => project,
  path: 'new-run',
  component: lazyRouteComponent(() => import('../new-run/new-run.tsx'), 'NewRun'),
  validateSearch: readNewRun,
});

const compare = createRoute({
  getParentRoute: () => project,
  path: 'runs/compare',
  component: lazyRouteComponent(() => import('../compare/compare.tsx'), 'Compare'),
  validateSearch: readCompare,
});

export const run = createRoute({
  getParentRoute: () => project,
  path: 'runs/$run',
  component: lazyRouteComponent(() => import('../run/run.tsx'), 'Run'),
  validateSearch: readRun,
});

const graphs = createRoute({
  getParentRoute: () => project,
  path: 'graphs',
  component: lazyRouteComponent(() => import('../graphs/graphs.tsx'), 'Graphs'),
  validateSearch: readGraphWords,
});

const graph = createRoute({
  getParentRoute: () => project,
  path: 'graphs/$graph',
  component: lazyRouteComponent(() => import('../graphs/graph.tsx'), 'Graph'),
  validateSearch: readGraphSearch,
});

export const connections = createRoute({
  getParentRoute: () => project,
  path: 'connections',
  component: lazyRouteComponent(() => import('../connections/connections.tsx'), 'Connections'),
});

const credentials = createRoute({
  getParentRoute: () => project,
  path: 'connections/credentials',
  component: lazyRouteComponent(() => import('../connections/credentials.tsx'), 'Credentials'),
});

const secrets = createRoute({
  getParentRoute: () => project,
  path: 'connections/secrets',
  component: lazyRouteComponent(() => import('../connections/secrets.tsx'), 'Secrets'),
});

const variables = createRoute({
  getParentRoute: () => project,
  path: 'connections/variables',
  component: lazyRouteComponent(() => import('../connections/variables.tsx'), 'Variables'),
});

const secretStores = createRoute({
  getParentRoute: () => project,
  path: 'connections/secret-stores',
  component: lazyRouteComponent(() => import('../connections/secret-stores.tsx'), 'SecretStores'),
});

const connectors = createRoute({
  getParentRoute: () => project,
  path: 'connectors',
  component: lazyRouteComponent(() => import('../connectors/connectors.tsx'), 'Connectors'),
  validateSearch: readWords,
});

const connector = createRoute({
  getParentRoute: () => project,
  path: 'connectors/$connector',
  component: lazyRouteComponent(() => import('../connectors/connector.tsx'), 'Connector'),
});

const locks = createRoute({
  getParentRoute: () => project,
  path: 'locks',
  component: lazyRouteComponent(() => import('../locks/locks.tsx'), 'Locks'),
});

const caches = createRoute({
  getParentRoute: () => project,
  path: 'caches',
  component: lazyRouteComponent(() => import('../caches/caches.tsx'), 'Caches'),
});

const agents = createRoute({
  getParentRoute: () => project,
  path: 'agents',
  component: lazyRouteComponent(() => import('../agents/agents.tsx'), 'Agents'),
});

const members = createRoute({
  getParentRoute: () => project,
  path: 'members',
  component: lazyRouteComponent(() => import('../members/members.tsx'), 'Members'),
});

const invitations = createRoute({
  getParentRoute: () => project,
  path: 'members/invitations',
  component: lazyRouteComponent(() => import('../members/invitations.tsx'), 'Invitations'),
});

const tokens = createRoute({
  getParentRoute: () => project,
  path: 'members/tokens',
  component: lazyRouteComponent(() => import('../members/tokens.tsx'), 'Tokens'),
});

const sessions = createRoute({
  getParentRoute: () => project,
  path: 'members/sessions',
  component: lazyRouteComponent(() => import('../members/sessions.tsx'), 'Sessions'),
});

const audit = createRoute({
  getParentRoute: () => project,
  path: 'audit',
  component: lazyRouteComponent(() => import('../audit/audit.tsx'), 'Audit'),
  validateSearch: readAuditFilters,
});

const access = [locks, caches, agents, members, invitations, tokens, sessions, audit] as const;
const connecting = [connections, credentials, secrets, secretStores, variables, connectors, connector] as const;

const events = createRoute({
  getParentRoute: () => project,
  path: 'events',
  component: lazyRouteComponent(() => import('../events/events.tsx'), 'Events'),
  validateSearch: readEventFilters,
});

const event = createRoute({
  getParentRoute: () => project,
  path: 'events/$event',
  component: lazyRouteComponent(() => import('../events/event.tsx'), 'EventPage'),
});

const eventTypes = createRoute({
  getParentRoute: () => project,
  path: 'event-types',
  component: lazyRouteComponent(() => import('../events/types.tsx'), 'EventTypes'),
});

const deadLetters = createRoute({
  getParentRoute: () => project,
  path: 'dead-letters',
  component: lazyRouteComponent(() => import('../events/dead-letters.tsx'), 'DeadLetters'),
  validateSearch: readLetterFilters,
});

const handlers = createRoute({
  getParentRoute: () => project,
  path: 'handlers',
  component: lazyRouteComponent(() => import('../handlers/handlers.tsx'), 'Handlers'),
  validateSearch: readListAddress,
});

const handler = createRoute({
  getParentRoute: () => project,
  path: 'handlers/$handler',
  component: lazyRouteComponent(() => import('../handlers/handler.tsx'), 'Handler'),
  validateSearch: (search: Record<string, unknown>) => readTexts(search, ['event']),
});

const hooks = createRoute({
  getParentRoute: () => project,
  path: 'hooks',
  component: lazyRouteComponent(() => import('../hooks/hooks.tsx'), 'Hooks'),
  validateSearch: readListAddress,
});

const hook = createRoute({
  getParentRoute: () => project,
  path: 'hooks/$hook',
  component: lazyRouteComponent(() => import('../hooks/hook.tsx'), 'HookPage'),
});

const webhooks = createRoute({
  getParentRoute: () => project,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('../webhooks/webhooks.tsx'), 'Webhooks'),
  validateSearch: readListAddress,
});

const webhook = createRoute({
  getParentRoute: () => project,
  path: 'webhooks/$webhook',
  component: lazyRouteComponent(() => import('../webhooks/webhook.tsx'), 'Webhook'),
});

const schedules = createRoute({
  getParentRoute: () => project,
  path: 'schedules',
  component: lazyRouteComponent(() => import('../schedules/schedules.tsx'), 'Schedules'),
  validateSearch: readListAddress,
});

const schedule = createRoute({
  getParentRoute: () => project,
  path: 'schedules/$schedule',
  component: lazyRouteComponent(() => import('../schedules/schedule.tsx'), 'Schedule'),
});

const triggers = createRoute({
  getParentRoute: () => project,
  path: 'triggers',
  component: lazyRouteComponent(() => import('../triggers/triggers.tsx'), 'Triggers'),
  validateSearch: readListAddress,
});

const trigger = createRoute({
  getParentRoute: () => project,
  path: 'triggers/$trigger',
  component: lazyRouteComponent(() => import('../triggers/trigger.tsx'), 'Trigger'),
});

const plugins = createRoute({
  getParentRoute: () => project,
  path: 'plugins',
  component: lazyRouteComponent(() => import('../plugins/plugins.tsx'), 'Plugins'),
});

const settings = createRoute({
  getParentRoute: () => project,
  path: 'settings',
  component: lazyRouteComponent(() => import('../settings/settings.tsx'), 'Settings'),
});

/** In no menu: the parts that pages are drawn of. */
const components = createRoute({
  getParentRoute: () => project,
  path: 'components',
  component: lazyRouteComponent(() => import('../components/components.tsx'), 'Components'),
});

const extension = createRoute({
  getParentRoute: () => project,
  path: 'plugins/$plugin/$page',
  component: lazyRouteComponent(() => import('../extensions/page.tsx'), 'ExtensionPage'),
});

const reacting = [
  events,
  event,
  eventTypes,
  deadLetters,
  handlers,
  handler,
  hooks,
  hook,
  webhooks,
  webhook,
  schedules,
  schedule,
  triggers,
  trigger,
] as const;

const newGraph = createRoute({
  getParentRoute: () => project,
  path: 'graphs/new',
  component: lazyRouteComponent(() => import('../graphs/editor/pages.tsx'), 'NewGraph'),
  validateSearch: (search: Record<string, unknown>) => readTexts(search, ['node', 'credential', 'run']),
});

const editGraph = createRoute({
  getParentRoute: () => project,
  path: 'graphs/$graph/edit',
  validateSearch: (search: Record<string, unknown>) => readTexts(search, ['run']),
  component: lazyRouteComponent(() => import('../graphs/editor/pages.tsx'), 'EditGraph'),
});

const pipelines = createRoute({
  getParentRoute: () => project,
  path: 'pipelines',
  component: lazyRouteComponent(() => import('../pipelines/pipelines.tsx'), 'Pipelines'),
});

const functions = createRoute({
  getParentRoute: () => project,
  path: 'functions',
  component: lazyRouteComponent(() => import('../functions/functions.tsx'), 'Functions'),
  validateSearch: readListAddress,
});

const functionPage = createRoute({
  getParentRoute: () => project,
  path: 'functions/$function',
  component: lazyRouteComponent(() => import('../functions/function.tsx'), 'FunctionPage'),
});

const drawing = [graphs, graph, newGraph, editGraph, pipelines, functions, functionPage] as const;

const further = [insights, plugins, settings, components, extension] as const;

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    project.addChildren([
      overview,
      newRun,
      runs,
      compare,
      run,
      ...drawing,
      ...reacting,
      ...connecting,
      ...access,
      ...further,
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  // What a page keeps of one thing, such as a secret that is shown once, is not of the next one.
  defaultRemountDeps: ({ params }) => params,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** What a new run begins with: a template. */
    draft?: { filename: string; source: string };
  }
}
