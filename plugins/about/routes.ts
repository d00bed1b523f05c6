import { type Route, type Settings, USER } from '../../kernel/contracts/index.ts';
import pluginSchema from './schema/plugin-list.schema.json' with { type: 'json' };
import serverSchema from './schema/server-view.schema.json' with { type: 'json' };
import settingsSchema from './schema/server-settings.schema.json' with { type: 'json' };
import type { PluginList } from './service/plugin-list.ts';
import { serverView, settingsView } from './service/server-view.ts';

export const pluginsRoute = (plugins: PluginList): Route => ({
  method: 'GET',
  path: '/api/v1/plugins',
  operation: 'listPlugins',
  summary: 'The plugins of this server in boot order, what each adds, and whether its health checks pass',
  access: USER,
  responses: { 200: { description: 'All of them.', schema: pluginSchema } },
  handle: async () => ({ status: 200, json: await plugins.view() }),
});

export const serverRoute = (settings: Settings): Route => ({
  method: 'GET',
  path: '/api/v1/server',
  operation: 'getServer',
  summary: 'What this server is: version, store, address, how long it keeps what, and its rate limits',
  access: USER,
  responses: { 200: { description: 'The server.', schema: serverSchema } },
  handle: async () => ({ status: 200, json: serverView(settings) }),
});

export const settingsRoute = (settings: Settings): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/server/settings',
  operation: 'listServerSettings',
  summary: 'Which settings of the server are set; values only of those that hold no secret',
  access: { kind: 'org', role: 'owner' },
  responses: { 200: { description: 'The settings, by name.', schema: settingsSchema } },
  handle: async () => ({ status: 200, json: settingsView(settings) }),
});
