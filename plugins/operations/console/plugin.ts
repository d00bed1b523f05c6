import { join } from 'node:path';
import { AccessControl, definePlugin, HttpRoutes, SERVER_ROLES } from '../../../kernel/contracts/index.ts';
import { HttpPages } from '../../platform/http/contract.ts';
import { extensionsOf } from './domain/extensions.ts';
import { consolePages } from './domain/pages.ts';
import manifest from './plugin.json' with { type: 'json' };
import { extensionsRoute } from './routes.ts';

export default definePlugin(manifest, (plugin) => {
  const extensions = plugin.own(extensionsOf);
  plugin.contribute(HttpPages, (use) => consolePages(join(import.meta.dirname, 'web/dist'), extensions(use).folders));
  plugin.contribute(HttpRoutes, (use) => extensionsRoute(extensions(use), use(AccessControl)));
  // What is wrong with a page of a plugin stops the start, not the first person who opens the console.
  plugin.onInit(SERVER_ROLES, async (use) => void extensions(use));
});
