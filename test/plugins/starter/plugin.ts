import { Database, definePlugin, HttpRoutes } from 'svc/plugin';
import { JobEnvironment, JournaledVerbs } from 'svc/runs';
import { Verbs } from 'svc/scripts';
import { countsTable } from './migrations/0001-counts.ts';
import manifest from './plugin.json' with { type: 'json' };
import { showRoute } from './route.ts';
import { countVerb, countWork } from './verb.ts';

/** What the plugin adds to svc. Each line stands for itself: take out what you do not need, here and in plugin.json. */
export default definePlugin(manifest, (plugin) => {
  plugin.migrations([countsTable]);
  plugin.contribute(HttpRoutes, (use) => showRoute(use(Database)));
  plugin.contribute(JournaledVerbs, () => countWork);
  plugin.contribute(Verbs, () => countVerb);
  plugin.contribute(JobEnvironment, () => ({
    name: 'starter',
    layer: 'below' as const,
    provide: async () => [{ name: 'STARTER_VERSION', value: manifest.version, secret: false }],
  }));
});
