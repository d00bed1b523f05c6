import {
  Database,
  definePlugin,
  Expressions,
  HttpRoutes,
  Ids,
  Log,
  type Resolve,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { EventBus, EventKeepers, EventReactions } from '../bus/contract.ts';
import { CredentialUsers } from '../credentials/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { RunCreation } from '../runs/contract.ts';
import { StoredWorkflows } from '../workflows/contract.ts';
import { HandlerMatches } from './contract.ts';
import { handlerTables } from './migrations/0001-handlers.ts';
import { withoutCredentials } from './migrations/0002-credentials.ts';
import manifest from './plugin.json' with { type: 'json' };
import { handlerRoutes } from './routes.ts';
import { handlerUser } from './service/credential-uses.ts';
import { Handlers, OwnHandlers } from './service/handlers.ts';
import { handlerKeeper } from './store/keeper.ts';
import { handlerReaction } from './service/reaction.ts';
import { Registry } from './service/registry.ts';

const starterParts = (use: Resolve) => ({
  database: use(Database),
  workflows: use(StoredWorkflows),
  creation: () => use(RunCreation),
});

const makeHandlers = (use: Resolve) =>
  new Handlers({
    database: use(Database),
    sealer: use(Sealer),
    workflows: use(StoredWorkflows),
    ids: use(Ids),
    writes: use(AuditedWrites),
    expressions: use(Expressions),
    bus: use(EventBus),
  });

function routes(use: Resolve) {
  const handlers = use(OwnHandlers);
  const trial = { handlers, database: use(Database), bus: use(EventBus), expressions: use(Expressions) };
  return handlerRoutes(handlers, trial);
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([handlerTables, withoutCredentials]);
  const registry = plugin.own(() => new Registry());
  plugin.bind(OwnHandlers, makeHandlers);
  plugin.bind(HandlerMatches, registry);
  plugin.contribute(EventReactions, (use) =>
    handlerReaction({
      ...starterParts(use),
      bus: () => use(EventBus),
      registry: registry(use),
      expressions: use(Expressions),
      log: use(Log).child({ part: 'handlers' }),
    }),
  );
  plugin.contribute(CredentialUsers, (use) => handlerUser(use(Database)));
  plugin.contribute(EventKeepers, (use) => handlerKeeper(use(Database)));
  plugin.contribute(HttpRoutes, routes);
});
