import { join } from 'node:path';
import { definePlugin } from '../../kernel/contracts/index.ts';
import { HttpPages } from '../http/contract.ts';
import { consolePages } from './domain/pages.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpPages, () => consolePages(join(import.meta.dirname, 'web/dist')));
});
