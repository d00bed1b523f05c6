import {
  childLog,
  Clock,
  Database,
  deferred,
  definePlugin,
  Expressions,
  GroupCommits,
  HttpRoutes,
  Ids,
  Metrics,
  type PluginSetup,
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import {
  EnvelopeSources,
  JournaledVerbs,
  OpenRuns,
  RunFeed,
  RunObservers,
  RunStore,
  RunGuard,
  RunTables,
  SharedContents,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../../engine/runs/contract.ts';
import { Verbs } from '../../execution/scripts/contract.ts';
import { AfterRestoreHooks } from '../../platform/database/contract.ts';
import { FlowNodes } from '../../engine/flows/contract.ts';
import { ChangedRuns, LiveTopics } from '../../engine/live/contract.ts';
import { DeclaredTypes, EventBus, EventLog, EventReactions } from './contract.ts';
import { busTables } from './migrations/0001-bus.ts';
import { lockVersions } from './migrations/0002-lock-versions.ts';
import { outboxTables } from './migrations/0003-outbox.ts';
import { emitters } from './migrations/0004-emitters.ts';
import { untrusted } from './migrations/0005-untrusted.ts';
import { narrowIndexes } from './migrations/0006-narrow-indexes.ts';
import { listedSources } from './migrations/0007-listed-sources.ts';
import { replays } from './migrations/0008-replays.ts';
import { samples } from './migrations/0009-samples.ts';
import { lastContents } from './migrations/0010-contents.ts';
import { outboxReads } from './migrations/0011-outbox-reads.ts';
import { sharedSeals } from './migrations/0012-shared-seals.ts';
import { sealedPredicates } from './migrations/0013-sealed-predicates.ts';
import { equalities } from './migrations/0014-equalities.ts';
import manifest from './plugin.json' with { type: 'json' };
import { restoreHeads } from './store/settle-copy.ts';
import { chainRoutes } from './chain-routes.ts';
import { busRoutes } from './routes.ts';
import { createMatchNotifier, MatchNotifier } from './service/match-notifier.ts';
import { OUTCOME_TOPIC, CommitForwarder } from './service/commit-forwarder.ts';
import { Bus } from './service/bus.ts';
import { Deliverer, MATCHED_TOPIC } from './service/deliverer.ts';
import { envelopeSource } from './service/envelopes.ts';
import { createChains } from './service/chain.ts';
import { createEventCatalog } from './service/event-catalog.ts';
import { busNodes } from './service/flow-nodes.ts';
import { createEventLog } from './service/event-log.ts';
import { changedRuns, eventsTopic, recordedTopic } from './service/live-events.ts';
import { createEventViews } from './service/event-views.ts';
import { BudgetedEvaluator } from './service/predicate-evaluator.ts';
import { lifecycleObserver } from './service/lifecycle.ts';
import { prunableEvents } from './service/prune.ts';
import { unneededMasks } from './service/unneeded-masks.ts';
import { FORWARDED_TOPIC, startOutbox } from './service/outbox.ts';
import { Tracing } from '../../platform/tracing/contract.ts';
import { Recorder } from './service/recorder.ts';
import { Sequencer } from './service/sequencing.ts';
import { parseSequencing } from './domain/sequencing-setting.ts';
import { submitObserver } from './service/triggers.ts';
import { emitVerb } from './verbs/emit.ts';
import { emitJournaledVerb } from './verbs/emit-work.ts';
import { eventWaitKind } from './verbs/event-wait.ts';
import { waitEventVerb } from './verbs/wait-event.ts';

const log = childLog('bus');

/** Reactions by precedence. Resolved at the first event, because the engine makes the runs that they start. */
const reactions = (use: Resolve) => () => use.all(EventReactions).toSorted((a, b) => a.precedence - b.precedence);
const expressions = deferred(Expressions);
const sequencing = (use: Resolve) => parseSequencing(use(Settings).env.SVC_EVENT_SEQUENCER);

/** Wakes every server that listens for a topic. */
const wake = (topic: string) => (use: Resolve) => () => use(Wakeups).topic(topic);

function onMatched(use: Resolve): () => void {
  const [notifier, wakeups] = [use(MatchNotifier), use(Wakeups)];
  return () => {
    notifier.notify();
    wakeups.topic(MATCHED_TOPIC);
  };
}

/** Removes events, and data of runs, that ended long ago. */
function registerRetention(plugin: PluginSetup): void {
  plugin.contribute(AfterRestoreHooks, () => restoreHeads);
  plugin.contribute(
    Prunables,
    provide(prunableEvents, {
      database: Database,
      openRuns: deferred(OpenRuns),
      reactions: (use) => () => use.all(EventReactions),
    }),
  );
  plugin.contribute(SharedContents, (use) =>
    unneededMasks({ database: use(Database), masks: use(RunMasks), guard: use(RunGuard) }),
  );
  plugin.contribute(RunTables, () => ['bus_waits', 'bus_cancels'].map((table) => ({ table, column: 'run_id' })));
}

/** The bus's part in the engine: observers, sources, waits and verbs. */
function registerWithRuns(plugin: PluginSetup, bus: (use: Resolve) => Bus): void {
  plugin.contribute(FlowNodes, (use) => busNodes(bus(use), use(RunMasks), expressions(use)));
  plugin.contribute(RunObservers, (use) => lifecycleObserver(bus(use)));
  plugin.contribute(SubmitObservers, (use) => submitObserver(bus(use), use(RunMasks)));
  plugin.contribute(EnvelopeSources, (use) => envelopeSource(bus(use)));
  plugin.contribute(JournaledVerbs, (use) => emitJournaledVerb(use(Sealer), bus(use)));
  plugin.contribute(
    WaitKinds,
    provide(eventWaitKind, {
      database: Database,
      sealer: Sealer,
      signals: SignalQueue,
      masks: RunMasks,
      bus,
      expressions,
    }),
  );
}

/** Events for those who look at the project while it changes, and which runs they speak of. */
function registerLive(plugin: PluginSetup): void {
  plugin.bind(EventLog, (use) => createEventLog(use(Database)));
  plugin.contribute(ChangedRuns, (use) => changedRuns(use(Database)));
  plugin.contribute(LiveTopics, provide(eventsTopic, { database: Database, wakeups: Wakeups, clock: Clock, log }));
}

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([
    busTables,
    lockVersions,
    outboxTables,
    emitters,
    untrusted,
    narrowIndexes,
    listedSources,
    replays,
    samples,
    lastContents,
    outboxReads,
    sharedSeals,
    sealedPredicates,
    equalities,
  ]);
  plugin.bind(MatchNotifier, createMatchNotifier);
  const sequencer = plugin.own((use) => new Sequencer(use(Ids).next('srv'), use(Database), sequencing(use)));
  const recorder = plugin.own(
    provide(Recorder, {
      database: Database,
      sequencer,
      sealer: Sealer,
      ids: Ids,
      audit: Audit,
      masks: RunMasks,
      log,
      metrics: Metrics,
      reactions,
      evaluator: (use) => new BudgetedEvaluator(expressions(use)),
      tracer: (use) => use(Tracing).on,
      onMatched: onMatched,
      onRecorded: (use) => (project_id) => use(Wakeups).topic(recordedTopic(project_id)),
      onForwarded: wake(FORWARDED_TOPIC),
      onOutcomes: wake(OUTCOME_TOPIC),
    }),
  );
  const asking = plugin.own(
    provide(CommitForwarder, {
      sequencer,
      database: Database,
      group_commits: GroupCommits,
      wakeups: Wakeups,
      clock: Clock,
      log,
    }),
  );
  const bus = plugin.own(
    provide(Bus, { database: Database, group_commits: GroupCommits, sealer: Sealer, recorder, forwarder: asking }),
  );
  const deliverer = provide(Deliverer, {
    database: Database,
    sealer: Sealer,
    bus,
    resolver: WaitResolver,
    masks: RunMasks,
    runs: RunStore,
    matches: MatchNotifier,
    wakeups: Wakeups,
    clock: Clock,
    log,
    metrics: Metrics,
  });
  const outbox = provide(startOutbox, {
    recorder,
    sequencer,
    database: Database,
    sealer: Sealer,
    wakeups: Wakeups,
    clock: Clock,
    log,
  });
  plugin.bind(EventBus, bus);
  const views = plugin.own(
    provide(createEventViews, { database: Database, sealer: Sealer, bus, masks: RunMasks, reactions }),
  );
  const catalog = plugin.own(provide(createEventCatalog, { database: Database, declared: DeclaredTypes, views }));
  plugin.contribute(Verbs, () => [emitVerb, waitEventVerb]);
  registerWithRuns(plugin, bus);
  registerRetention(plugin);
  registerLive(plugin);
  plugin.contribute(HttpRoutes, provide(busRoutes, { bus, views, catalog, clock: Clock }));
  plugin.contribute(HttpRoutes, (use) => chainRoutes(createChains({ on: use(Database), feed: use(RunFeed) })));
  plugin.onCheck(SERVER_ROLES, async (use) => void sequencing(use));
  plugin.onStart(SERVER_ROLES, async (use) => deliverer(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => asking(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => outbox(use));
});
