import {
  Clock,
  deferred,
  definePlugin,
  Egress,
  HttpAddress,
  HttpRoutes,
  Ids,
  provide,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Providers } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { providerRoutes } from './routes.ts';
import { Registry } from './service/registry.ts';

const makeRegistry = provide(Registry, {
  settings: Settings,
  egress: Egress,
  clock: Clock,
  ids: Ids,
  address: deferred(HttpAddress),
});

export default definePlugin(manifest, (plugin) => {
  const registry = plugin.own(makeRegistry);
  plugin.bind(Providers, registry);
  plugin.contribute(HttpRoutes, (use) => providerRoutes(registry(use), use(Egress)));
  plugin.onCheck(SERVER_ROLES, async (use) => void registry(use));
});
