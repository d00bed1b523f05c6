import { definePlugin, HealthChecks, HttpRoutes, LoadedPlugins, Settings } from '../../../kernel/contracts/index.ts';
import { Readiness } from '../../platform/http/contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { pluginsRoute, serverRoute, settingsRoute } from './routes.ts';
import { PluginList } from './service/plugin-list.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.contribute(HttpRoutes, (use) => {
    const plugins = new PluginList({
      loaded: use(LoadedPlugins),
      readiness: () => use(Readiness),
      // Read here, so that who contributes checks is known.
      checks: use.all(HealthChecks),
    });
    const settings = use(Settings);
    return [pluginsRoute(plugins), serverRoute(settings), settingsRoute(settings)];
  });
});
