import { join } from 'node:path';
import { ConsolePages, definePlugin, type PluginManifest } from '../../kernel/contracts/index.ts';
import { consolePages } from './domain/pages.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.contribute(ConsolePages, () => consolePages(join(import.meta.dirname, 'page')));
});
