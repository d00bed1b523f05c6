import { definePlugin, HttpRoutes } from '../../../kernel/contracts/index.ts';
import manifest from './plugin.json' with { type: 'json' };
import { runViewRoutes } from './routes/index.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => runViewRoutes(use));
});
