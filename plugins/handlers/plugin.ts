import {
  Clock,
  Database,
  definePlugin,
  Expressions,
  HttpRoutes,
  Ids,
  Log,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { EventBus, EventKeepers, EventReactions } from '../bus/contract.ts';
import { CredentialUsers } from '../credentials/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import {
  DocumentChecks,
  FileHolders,
  RunCreation,
  RunEngine,
  RunLimits,
  SubmitObservers,
  Wakeups,
  WorkObservers,
} from '../runs/contract.ts';
import { heldByWorkflows, StoredWorkflows } from '../workflows/contract.ts';
import { HandlerMatches, HandlerOwnership } from './contract.ts';
import { handlerTables } from './migrations/0001-handlers.ts';
import { withoutCredentials } from './migrations/0002-credentials.ts';
import { owners } from './migrations/0003-owners.ts';
import { refills } from './migrations/0004-refills.ts';
import { untrusted } from './migrations/0005-untrusted.ts';
import { counts } from './migrations/0006-counts.ts';
import { traces } from './migrations/0007-traces.ts';
import { waiting } from './migrations/0008-waiting.ts';
import { definitionsLast } from './migrations/0009-order.ts';
import { parked } from './migrations/0010-parked.ts';
import { namingFiles } from './store/handlers.ts';
import manifest from './plugin.json' with { type: 'json' };
import { replayRoute } from './replay-route.ts';
import { handlerRoutes } from './routes.ts';
import { handlerCheck } from './service/check.ts';
import { handlerUser } from './service/credential-uses.ts';
import { Handlers, OwnHandlers } from './service/handlers.ts';
import { handlerKeeper } from './store/keeper.ts';
import { waitingRuns } from './service/waiting.ts';
import { handlerReaction } from './service/reaction.ts';
import { Refiller } from './service/refiller.ts';
import { Registry } from './service/registry.ts';
import { rerunPlaces } from './service/reruns.ts';

/** What starts handler runs. `refilling`: after a commit that has left work to the refiller. */
const slotParts = (use: Resolve, refilling: () => void) => ({
  bus: () => use(EventBus),
  refilling,
  database: use(Database),
  workflows: use(StoredWorkflows),
  creation: () => use(RunCreation),
  limits: use(RunLimits),
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
  const trial = {
    handlers,
    database: use(Database),
    bus: use(EventBus),
    expressions: use(Expressions),
    limits: use(RunLimits),
  };
  const replay = {
    ...{ ...trial, ids: use(Ids), sealer: use(Sealer), writes: use(AuditedWrites) },
    workflows: use(StoredWorkflows),
    creation: () => use(RunCreation),
  };
  return [...handlerRoutes(handlers, trial), replayRoute(replay)];
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([
    handlerTables,
    withoutCredentials,
    owners,
    refills,
    untrusted,
    counts,
    traces,
    waiting,
    definitionsLast,
    parked,
  ]);
  const registry = plugin.own(() => new Registry());
  const refiller = plugin.own(
    (use): Refiller =>
      new Refiller({
        database: use(Database),
        sealer: use(Sealer),
        bus: () => use(EventBus),
        slots: () => slotParts(use, () => refiller(use).wake()),
        wakeups: use(Wakeups),
        clock: use(Clock),
        log: use(Log).child({ part: 'handlers' }),
      }),
  );
  plugin.bind(OwnHandlers, makeHandlers);
  plugin.bind(HandlerMatches, registry);
  plugin.bind(HandlerOwnership, (use) => use(OwnHandlers).ownership);
  plugin.contribute(EventReactions, (use) =>
    handlerReaction({
      ...slotParts(use, () => refiller(use).wake()),
      registry: registry(use),
      log: use(Log).child({ part: 'handlers' }),
    }),
  );
  plugin.contribute(FileHolders, (use) =>
    heldByWorkflows('handlers', (project_id) => namingFiles(use(Database), project_id)),
  );
  plugin.contribute(CredentialUsers, (use) => handlerUser(use(Database)));
  plugin.contribute(DocumentChecks, (use) =>
    handlerCheck({ expressions: use(Expressions), engine: () => use(RunEngine) }),
  );
  plugin.contribute(SubmitObservers, (use) =>
    rerunPlaces({ database: use(Database), bus: () => use(EventBus), limits: () => use(RunLimits) }),
  );
  plugin.contribute(WorkObservers, (use) =>
    waitingRuns({ database: use(Database), refilling: () => refiller(use).wake() }),
  );
  plugin.contribute(EventKeepers, (use) => handlerKeeper(use(Database)));
  plugin.contribute(HttpRoutes, routes);
  plugin.onStart(SERVER_ROLES, async (use) => refiller(use).start());
});
