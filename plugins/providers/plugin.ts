import {
  Clock,
  definePlugin,
  Egress,
  HttpAddress,
  HttpRoutes,
  type Resolve,
  SERVER_ROLES,
  Settings,
} from '../../kernel/contracts/index.ts';
import { Providers } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { providerRoutes } from './routes.ts';
import { Registry } from './service/registry.ts';

const makeRegistry = (use: Resolve) =>
  new Registry({
    settings: use(Settings),
    egress: use(Egress),
    clock: use(Clock),
    address: () => use(HttpAddress),
  });

export default definePlugin(manifest, (plugin) => {
  const registry = plugin.own(makeRegistry);
  plugin.bind(Providers, registry);
  plugin.contribute(HttpRoutes, (use) => providerRoutes(registry(use), use(Egress)));
  plugin.onCheck(SERVER_ROLES, async (use) => void registry(use));
});
