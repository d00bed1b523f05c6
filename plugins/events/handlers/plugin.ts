import {
  childLog,
  Clock,
  Database,
  deferred,
  definePlugin,
  Expressions,
  HttpRoutes,
  Ids,
  Log,
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { EventBus, EventLog, EventReactions } from '../bus/contract.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { CredentialUsers } from '../../secrets/credentials/contract.ts';
import { Attention, AuditedWrites } from '../../platform/resources/contract.ts';
import {
  DocumentChecks,
  FileHolders,
  RunCreation,
  RunEngine,
  RunLimits,
  RunReruns,
  SubmitObservers,
  Wakeups,
  WorkObservers,
} from '../../engine/runs/contract.ts';
import { workflowFileReferences, StoredWorkflows, WorkflowHolders } from '../workflows/contract.ts';
import { HandlerDirectory, HandlerMatches, HandlerOwnership } from './contract.ts';
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
import { concurrency } from './migrations/0011-concurrency.ts';
import { pacing } from './migrations/0012-pacing.ts';
import { merging } from './migrations/0013-merging.ts';
import { deadLetters } from './migrations/0014-dead-letters.ts';
import { bulkReplays } from './migrations/0015-bulk-replays.ts';
import { retries } from './migrations/0016-retries.ts';
import { trustedFirst } from './migrations/0017-trusted-first.ts';
import { retryAdmissions } from './migrations/0018-retry-admissions.ts';
import { listSetBefore, listUsingFiles } from './store/handlers.ts';
import manifest from './plugin.json' with { type: 'json' };
import { bulkReplayRoutes, deadLetterRoutes } from './redelivery-routes.ts';
import { replayRoute } from './replay-route.ts';
import { retryRoute } from './retry-route.ts';
import { handlerRoutes } from './routes.ts';
import { BulkReplays } from './service/bulk-replays.ts';
import { handlerCheck } from './service/check.ts';
import { handlerCredentialUser } from './service/credential-uses.ts';
import { DeadLetters, deadLettersAttention, prunableDeadLetters } from './service/dead-letters.ts';
import { handlerHolder } from './service/workflow-holder.ts';
import { Handlers, HandlersToken } from './service/handlers.ts';
import { protectedEvents } from './store/retention.ts';
import { readWaits } from './store/waits.ts';
import { waitingRunObserver } from './service/waiting.ts';
import { handlerReaction } from './service/reaction.ts';
import { Refiller } from './service/refiller.ts';
import type { ReplayDeps } from './service/replay.ts';
import { Registry } from './service/registry.ts';
import { Retrier } from './service/retrier.ts';
import { rerunSlots } from './service/reruns.ts';

/** What starts handler runs. The refiller is woken after a commit that left work to it. */
const slotParts = (use: Resolve, registry: Registry, refiller: () => Refiller) => ({
  bus: () => use(EventBus),
  registry,
  refilling: () => refiller().wake(),
  waiting: () => refiller().wakeGates(),
  database: use(Database),
  ids: use(Ids),
  workflows: use(StoredWorkflows),
  creation: () => use(RunCreation),
  limits: use(RunLimits),
});

const makeHandlers = provide(Handlers, {
  database: Database,
  sealer: Sealer,
  workflows: StoredWorkflows,
  ids: Ids,
  writes: AuditedWrites,
  expressions: Expressions,
  bus: EventBus,
});

const trialDeps = (use: Resolve) => ({
  handlers: use(HandlersToken),
  database: use(Database),
  bus: use(EventBus),
  expressions: use(Expressions),
  limits: use(RunLimits),
});

const replayDeps = (use: Resolve): ReplayDeps => ({
  ...trialDeps(use),
  ids: use(Ids),
  sealer: use(Sealer),
  writes: use(AuditedWrites),
  workflows: use(StoredWorkflows),
  creation: () => use(RunCreation),
});

const makeDeadLetters = (use: Resolve): DeadLetters =>
  new DeadLetters({
    database: use(Database),
    sealer: use(Sealer),
    writes: use(AuditedWrites),
    engine: () => use(RunEngine),
    replay: () => replayDeps(use),
  });

const routes = (use: Resolve, replays: BulkReplays) => [
  ...handlerRoutes(use(HandlersToken), trialDeps(use)),
  replayRoute(replayDeps(use)),
  retryRoute(use(Database)),
  ...bulkReplayRoutes(replays),
  ...deadLetterRoutes(makeDeadLetters(use), use(Database)),
];

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
    concurrency,
    pacing,
    merging,
    deadLetters,
    bulkReplays,
    retries,
    trustedFirst,
    retryAdmissions,
  ]);
  const registry = plugin.own(() => new Registry());
  const refiller = plugin.own(
    provide(Refiller, {
      database: Database,
      sealer: Sealer,
      bus: deferred(EventBus),
      slots: (use) => () => slotParts(use, registry(use), () => refiller(use)),
      wakeups: Wakeups,
      clock: Clock,
      log: childLog('handlers'),
    }),
  );
  const replays = plugin.own(
    provide(BulkReplays, {
      replay: (use) => () => replayDeps(use),
      database: Database,
      registry,
      events: deferred(EventLog),
      wakeups: Wakeups,
      clock: Clock,
      log: childLog('handlers'),
    }),
  );
  const retrier = plugin.own(
    provide(Retrier, {
      database: Database,
      ids: Ids,
      bus: deferred(EventBus),
      reruns: deferred(RunReruns),
      refilling: (use) => () => refiller(use).wake(),
      clock: Clock,
      log: childLog('handlers'),
    }),
  );
  plugin.bind(HandlersToken, makeHandlers);
  plugin.bind(HandlerMatches, registry);
  plugin.bind(HandlerDirectory, (use) => ({ setBefore: (...page) => listSetBefore(use(Database), ...page) }));
  plugin.bind(HandlerOwnership, (use) => use(HandlersToken).ownership);
  plugin.contribute(EventReactions, (use) => ({
    ...handlerReaction({
      ...slotParts(use, registry(use), () => refiller(use)),
      registry: registry(use),
      retrying: () => retrier(use).wake(),
      log: use(Log).child({ part: 'handlers' }),
    }),
    findProtected: protectedEvents(use(Database)),
    describeQueued: (event, names) => readWaits(use(Database), event, names),
  }));
  plugin.contribute(
    WorkflowHolders,
    provide(handlerHolder, { database: Database, sealer: Sealer, workflows: StoredWorkflows }),
  );
  plugin.contribute(FileHolders, (use) =>
    workflowFileReferences('handlers', 'handlers', (...of) => listUsingFiles(use(Database), ...of)),
  );
  plugin.contribute(CredentialUsers, (use) => handlerCredentialUser(use(Database)));
  plugin.contribute(DocumentChecks, provide(handlerCheck, { expressions: Expressions, engine: deferred(RunEngine) }));
  plugin.contribute(
    SubmitObservers,
    provide(rerunSlots, {
      database: Database,
      bus: deferred(EventBus),
      limits: deferred(RunLimits),
      registry,
    }),
  );
  plugin.contribute(
    WorkObservers,
    provide(waitingRunObserver, { database: Database, refilling: (use) => () => refiller(use).wake() }),
  );
  plugin.contribute(HttpRoutes, (use) => routes(use, replays(use)));
  plugin.contribute(Prunables, (use) => prunableDeadLetters(use(Database)));
  plugin.contribute(Attention, (use) => deadLettersAttention(use(Database)));
  plugin.onStart(SERVER_ROLES, async (use) => refiller(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => replays(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => retrier(use).start());
});
