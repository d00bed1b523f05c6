import { join } from 'node:path';
import { definePlugin } from '../../../kernel/contracts/index.ts';
import { HttpPages } from '../../platform/http/contract.ts';
import { docsPages } from './domain/pages.ts';
import manifest from './plugin.json' with { type: 'json' };

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpPages, () => docsPages(join(import.meta.dirname, 'dist')));
});
