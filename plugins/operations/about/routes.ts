import { type Route, type Settings, USER } from '../../../kernel/contracts/index.ts';
import pluginSchema from './schema/plugin-list.schema.json' with { type: 'json' };
import serverSchema from './schema/server-view.schema.json' with { type: 'json' };
import settingsSchema from './schema/server-settings.schema.json' with { type: 'json' };
import type { PluginList } from './service/plugin-list.ts';
import { serverView, settingsView } from './service/server-view.ts';

export const pluginsRoute = (plugins: PluginList): Route => ({
  method: 'GET',
  path: '/api/v1/plugins',
  operation: 'listPlugins',
  summary: "List this server's plugins in boot order, with their health and what they add",
  access: USER,
  responses: { 200: { description: 'All loaded plugins.', schema: pluginSchema } },
  handle: async () => ({ status: 200, json: await plugins.view() }),
});

export const serverRoute = (settings: Settings): Route => ({
  method: 'GET',
  path: '/api/v1/server',
  operation: 'getServer',
  summary: 'Show the server: version, store, address, retention and rate limits',
  access: USER,
  responses: { 200: { description: 'The server.', schema: serverSchema } },
  handle: async () => ({ status: 200, json: serverView(settings) }),
});

export const settingsRoute = (settings: Settings): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/server/settings',
  operation: 'listServerSettings',
  summary: "List the server's settings and whether they are set; values that contain a secret are omitted",
  access: { kind: 'org', role: 'owner' },
  responses: { 200: { description: 'The settings, by name.', schema: settingsSchema } },
  handle: async () => ({ status: 200, json: settingsView(settings) }),
});
