import {
  Database,
  definePlugin,
  Expressions,
  HttpRoutes,
  Ids,
  Log,
  type PluginManifest,
  type Resolve,
  Sealer,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { EventBus, EventKeepers, EventReactions } from '../bus/contract.ts';
import { CredentialUsers } from '../credentials/contract.ts';
import { RunCreation, RunObservers } from '../runs/contract.ts';
import { HandlerMatches } from './contract.ts';
import { handlerTables } from './migrations/0001-handlers.ts';
import manifest from './plugin.json' with { type: 'json' };
import { deleteHandlerRoute } from './routes/delete-handler.ts';
import { getHandlerRoute } from './routes/get-handler.ts';
import { listHandlersRoute } from './routes/list-handlers.ts';
import { putHandlerRoute } from './routes/put-handler.ts';
import { testHandlerRoute } from './routes/test-handler.ts';
import { handlerUser } from './service/credential-uses.ts';
import { Handlers, OwnHandlers } from './service/handlers.ts';
import { placeObserver } from './service/places.ts';
import { handlerKeeper } from './service/keeper.ts';
import { handlerReaction } from './service/reaction.ts';
import { OwnRegistry, Registry } from './service/registry.ts';

const starterParts = (use: Resolve) => ({
  database: use(Database),
  sealer: use(Sealer),
  creation: () => use(RunCreation),
});

const makeHandlers = (use: Resolve) =>
  new Handlers({
    database: use(Database),
    sealer: use(Sealer),
    creation: use(RunCreation),
    ids: use(Ids),
    audit: use(Audit),
    expressions: use(Expressions),
    bus: use(EventBus),
  });

function routes(use: Resolve) {
  const handlers = use(OwnHandlers);
  const trial = { handlers, database: use(Database), bus: use(EventBus), expressions: use(Expressions) };
  return [
    listHandlersRoute(handlers),
    getHandlerRoute(handlers),
    putHandlerRoute(handlers),
    deleteHandlerRoute(handlers),
    testHandlerRoute(trial),
  ];
}

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([handlerTables]);
  plugin.bind(OwnRegistry, () => new Registry());
  plugin.bind(OwnHandlers, makeHandlers);
  plugin.bind(HandlerMatches, (use) => use(OwnRegistry));
  plugin.contribute(EventReactions, (use) =>
    handlerReaction({
      ...starterParts(use),
      registry: use(OwnRegistry),
      expressions: use(Expressions),
      log: use(Log).child({ part: 'handlers' }),
    }),
  );
  plugin.contribute(RunObservers, (use) => placeObserver({ ...starterParts(use), bus: use(EventBus) }));
  plugin.contribute(CredentialUsers, (use) => handlerUser(use(Database)));
  plugin.contribute(EventKeepers, (use) => handlerKeeper(use(Database)));
  plugin.contribute(HttpRoutes, routes);
});
