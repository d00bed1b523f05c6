import { Database, definePlugin, HttpRoutes } from 'svc/plugin';
import { JobEnvironment, JournaledVerbs } from 'svc/runs';
import { Verbs } from 'svc/scripts';
import { greetingTable } from './migrations/0001-greetings.ts';
import manifest from './plugin.json' with { type: 'json' };
import { greetRoute } from './route.ts';
import { greetVerb, greetWork } from './verb.ts';

/** Written only against the published contracts, as a package outside this repository would be. */
export default definePlugin(manifest, (plugin) => {
  plugin.migrations([greetingTable]);
  plugin.contribute(HttpRoutes, (use) => greetRoute(use(Database)));
  plugin.contribute(JobEnvironment, () => ({
    name: 'greeter',
    layer: 'below' as const,
    provide: async (job) => [{ name: 'GREETER_PROJECT', value: job.project_id, secret: false }],
  }));
  plugin.contribute(JournaledVerbs, () => greetWork);
  plugin.contribute(Verbs, () => greetVerb);
});
