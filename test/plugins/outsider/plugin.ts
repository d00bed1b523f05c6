import { definePlugin, HttpRoutes } from 'svc/plugin';
import { RunEngine } from 'svc/runs';
import manifest from './plugin.json' with { type: 'json' };
import { outsiderRoute } from './route.ts';

/** Stands for a source of untrusted events: its runs come from somebody whom nobody vouches for. */
export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => outsiderRoute(use(RunEngine)));
});
