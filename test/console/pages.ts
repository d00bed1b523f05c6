import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Sample } from './sample.ts';

const HERE = '/orgs/dev/projects/main';
const APP = resolve(import.meta.dirname, '../../plugins/operations/console/web/app');

/** A page of the console: how its picture is called, and where it is in a project that was filled. */
interface SamplePage {
  name: string;
  path(sample: Sample): string;
}

const at = (name: string, path: string): SamplePage => ({ name, path: () => path });

/** By its route below a project, as `router.tsx` has it: every page, with something on it. */
export const PAGES: Readonly<Record<string, SamplePage | readonly SamplePage[]>> = {
  '/': at('overview', ''),
  'new-run': [at('new-run', '/new-run'), at('new-run-function', '/new-run?what=function&function=order')],
  insights: at('insights', '/insights'),
  runs: at('runs', '/runs'),
  'runs/$run': [
    { name: 'run', path: ({ run }) => `/runs/${run}` },
    { name: 'run-failed', path: ({ compared: [, failed] }) => `/runs/${failed}` },
    { name: 'run-log', path: ({ compared: [run] }) => `/runs/${run}?tab=log` },
    { name: 'run-source', path: ({ run }) => `/runs/${run}?tab=source` },
    { name: 'run-lineage', path: ({ run }) => `/runs/${run}?tab=lineage` },
    { name: 'run-pipeline', path: ({ pipeline_run }) => `/runs/${pipeline_run}` },
    { name: 'run-graph', path: ({ graph_run }) => `/runs/${graph_run}` },
  ],
  'runs/compare': { name: 'compare', path: ({ compared: [a, b] }) => `/runs/compare?a=${a}&b=${b}` },
  graphs: at('graphs', '/graphs'),
  'graphs/$graph': at('graph', '/graphs/orders'),
  'graphs/new': at('editor-new', '/graphs/new'),
  'graphs/$graph/edit': at('editor', '/graphs/orders/edit'),
  pipelines: at('pipelines', '/pipelines'),
  functions: at('functions', '/functions'),
  'functions/$function': at('function', '/functions/order'),
  events: { name: 'events', path: ({ event }) => `/events?event=${event}` },
  'events/$event': { name: 'event', path: ({ event }) => `/events/${event}` },
  'event-types': at('event-types', '/event-types'),
  'dead-letters': at('dead-letters', '/dead-letters'),
  handlers: at('handlers', '/handlers'),
  'handlers/$handler': at('handler', '/handlers/tell'),
  schedules: at('schedules', '/schedules'),
  'schedules/$schedule': at('schedule', '/schedules/nightly'),
  triggers: at('triggers', '/triggers'),
  'triggers/$trigger': at('trigger', '/triggers/tickets'),
  hooks: at('hooks', '/hooks'),
  'hooks/$hook': at('hook', '/hooks/deploys'),
  webhooks: at('webhooks', '/webhooks'),
  'webhooks/$webhook': at('webhook', '/webhooks/shop'),
  connections: at('connections', '/connections'),
  'connections/credentials': at('credentials', '/connections/credentials'),
  'connections/secrets': at('secrets', '/connections/secrets'),
  'connections/variables': at('variables', '/connections/variables'),
  'connections/secret-stores': at('secret-stores', '/connections/secret-stores'),
  connectors: at('connectors', '/connectors'),
  'connectors/$connector': at('connector', '/connectors/team_chat'),
  locks: at('locks', '/locks'),
  caches: at('caches', '/caches'),
  agents: at('agents', '/agents'),
  members: at('members-and-tokens', '/members'),
  'members/invitations': at('invitations', '/members/invitations'),
  'members/tokens': at('tokens', '/members/tokens'),
  'members/sessions': at('sessions', '/members/sessions'),
  audit: at('audit', '/audit'),
  settings: at('settings', '/settings'),
  plugins: at('plugins', '/plugins'),
  components: at('components', '/components'),
  // Of a plugin: what stands there is the plugin's.
  'plugins/$plugin/$page': [],
};

/** Names and addresses, with what the sample has. */
export const samplePages = (sample: Sample): [name: string, path: string][] =>
  Object.values(PAGES)
    .flat()
    .map(({ name, path }) => [name, `${HERE}${path(sample)}`]);

/** The routes below a project, as the router's sources name them. */
export function projectRoutes(): string[] {
  const sources = globSync('rout*.{ts,tsx}', { cwd: APP }).map((file) => readFileSync(join(APP, file), 'utf8'));
  const found = sources.join('\n').matchAll(/getParentRoute: \(\) => project,\s+path: '([^']+)'/g);
  return [...found].map(([, path]) => path!);
}
