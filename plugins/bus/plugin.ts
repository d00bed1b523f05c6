import {
  Clock,
  Database,
  definePlugin,
  Expressions,
  GroupCommits,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type PluginSetup,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../kernel/contracts/index.ts';
import { Prunables } from '../retention/contract.ts';
import { Audit } from '../audit/contract.ts';
import { RunMasks } from '../masking/contract.ts';
import {
  EnvelopeSources,
  JournaledVerbs,
  OpenRuns,
  RunFeed,
  RunObservers,
  RunStore,
  RunTables,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../runs/contract.ts';
import { Verbs } from '../scripts/contract.ts';
import { SettledCopies } from '../database/contract.ts';
import { FlowNodes } from '../flows/contract.ts';
import { ChangedRuns, LiveTopics } from '../live/contract.ts';
import { DeclaredTypes, EventBus, EventKeepers, EventLog, EventReactions } from './contract.ts';
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
import manifest from './plugin.json' with { type: 'json' };
import { settleCopy } from './store/settle-copy.ts';
import { chainRoutes } from './chain-routes.ts';
import { busRoutes } from './routes.ts';
import { createFiredNotifier, FiredNotifier } from './service/fired-notifier.ts';
import { ANSWERED_TOPIC, Asking } from './service/asking.ts';
import { Bus } from './service/bus.ts';
import { Deliverer, FIRED_TOPIC } from './service/deliverer.ts';
import { envelopeSource } from './service/envelopes.ts';
import { createChains } from './service/chain.ts';
import { createEventCatalog } from './service/event-catalog.ts';
import { busNodes } from './service/flow-nodes.ts';
import { createEventLog } from './service/event-log.ts';
import { changedRuns, eventsTopic, recordedTopic } from './service/live-events.ts';
import { createEventViews } from './service/event-views.ts';
import { Judge } from './service/judging.ts';
import { lifecycleObserver } from './service/lifecycle.ts';
import { prunableEvents } from './service/prune.ts';
import { HANDED_OVER_TOPIC, startOutbox } from './service/outbox.ts';
import { Tracing } from '../tracing/contract.ts';
import { Recorder } from './service/recorder.ts';
import { Sequencer } from './service/sequencing.ts';
import { sequencingOf } from './domain/sequencing-setting.ts';
import { submitObserver } from './service/triggers.ts';
import { emitVerb } from './verbs/emit.ts';
import { emitWork } from './verbs/emit-work.ts';
import { eventWaitKind } from './verbs/event-wait.ts';
import { waitEventVerb } from './verbs/wait-event.ts';

/** Reactions by precedence. Resolved at the first event, because the engine makes the runs that they start. */
const reactions = (use: Resolve) => () => use.all(EventReactions).toSorted((a, b) => a.precedence - b.precedence);
const expressions = (use: Resolve) => (): Expressions => use(Expressions);

const sequencing = (use: Resolve) => sequencingOf(use(Settings).env.SVC_EVENT_SEQUENCER);

const makeSequencer = (use: Resolve) => new Sequencer(use(Ids).next('srv'), use(Database), sequencing(use));

function makeRecorder(use: Resolve, sequencer: Sequencer): Recorder {
  const [fired, wakeups] = [use(FiredNotifier), use(Wakeups)];
  return new Recorder({
    database: use(Database),
    sequencer,
    sealer: use(Sealer),
    ids: use(Ids),
    audit: use(Audit),
    log: use(Log).child({ part: 'bus' }),
    metrics: use(Metrics),
    reactions: reactions(use),
    judge: new Judge(expressions(use)),
    tracer: use(Tracing).on,
    fired() {
      fired.notify();
      wakeups.topic(FIRED_TOPIC);
    },
    recorded: (project_id) => wakeups.topic(recordedTopic(project_id)),
    handedOver: () => wakeups.topic(HANDED_OVER_TOPIC),
    answered: () => wakeups.topic(ANSWERED_TOPIC),
  });
}

const makeAsking = (use: Resolve, sequencer: Sequencer) =>
  new Asking({
    sequencer,
    database: use(Database),
    group_commits: use(GroupCommits),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'bus' }),
  });

const makeBus = (use: Resolve, recorder: Recorder, asking: Asking) =>
  new Bus({
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    recorder,
    asking,
  });

const makeDeliverer = (use: Resolve, bus: Bus) =>
  new Deliverer({
    database: use(Database),
    sealer: use(Sealer),
    bus,
    resolver: use(WaitResolver),
    masks: use(RunMasks),
    runs: use(RunStore),
    fired: use(FiredNotifier),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'bus' }),
    metrics: use(Metrics),
  });

const outboxOf = (use: Resolve, recorder: Recorder, sequencer: Sequencer) =>
  startOutbox({
    ...{ recorder, sequencer },
    database: use(Database),
    sealer: use(Sealer),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'bus' }),
  });

/** Removes events, and data of runs, that ended long ago. */
function registerRetention(plugin: PluginSetup): void {
  plugin.contribute(SettledCopies, () => settleCopy);
  plugin.contribute(Prunables, (use) =>
    prunableEvents({
      database: use(Database),
      open_runs: () => use(OpenRuns),
      keepers: () => use.all(EventKeepers),
    }),
  );
  plugin.contribute(RunTables, () => ['bus_waits', 'bus_cancels'].map((table) => ({ table, column: 'run_id' })));
}

/** The bus's part in the engine: observers, sources, waits and verbs. */
function registerWithRuns(plugin: PluginSetup, bus: (use: Resolve) => Bus): void {
  plugin.contribute(FlowNodes, (use) => busNodes(bus(use), use(RunMasks)));
  plugin.contribute(RunObservers, (use) => lifecycleObserver(bus(use)));
  plugin.contribute(SubmitObservers, (use) => submitObserver(bus(use), use(RunMasks)));
  plugin.contribute(EnvelopeSources, (use) => envelopeSource(bus(use)));
  plugin.contribute(JournaledVerbs, (use) => emitWork(use(Sealer), bus(use)));
  plugin.contribute(WaitKinds, (use) =>
    eventWaitKind({
      database: use(Database),
      sealer: use(Sealer),
      signals: use(SignalQueue),
      masks: use(RunMasks),
      bus: bus(use),
      expressions: expressions(use),
    }),
  );
}

/** Events for those who look at the project while it changes, and which runs they speak of. */
function registerLive(plugin: PluginSetup): void {
  plugin.bind(EventLog, (use) => createEventLog(use(Database)));
  plugin.contribute(ChangedRuns, (use) => changedRuns(use(Database)));
  plugin.contribute(LiveTopics, (use) =>
    eventsTopic({
      database: use(Database),
      wakeups: use(Wakeups),
      clock: use(Clock),
      log: use(Log).child({ part: 'bus' }),
    }),
  );
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
  ]);
  plugin.bind(FiredNotifier, createFiredNotifier);
  const sequencer = plugin.own(makeSequencer);
  const recorder = plugin.own((use) => makeRecorder(use, sequencer(use)));
  const asking = plugin.own((use) => makeAsking(use, sequencer(use)));
  const bus = plugin.own((use) => makeBus(use, recorder(use), asking(use)));
  plugin.bind(EventBus, bus);
  const views = plugin.own((use) =>
    createEventViews({ database: use(Database), sealer: use(Sealer), bus: bus(use), masks: use(RunMasks) }),
  );
  const catalog = plugin.own((use) =>
    createEventCatalog({ database: use(Database), declared: use.all(DeclaredTypes), views: views(use) }),
  );
  plugin.contribute(Verbs, () => [emitVerb, waitEventVerb]);
  registerWithRuns(plugin, bus);
  registerRetention(plugin);
  registerLive(plugin);
  plugin.contribute(HttpRoutes, (use) =>
    busRoutes({ bus: bus(use), views: views(use), catalog: catalog(use), clock: use(Clock) }),
  );
  plugin.contribute(HttpRoutes, (use) => chainRoutes(createChains({ on: use(Database), feed: use(RunFeed) })));
  plugin.onCheck(SERVER_ROLES, async (use) => void sequencing(use));
  plugin.onStart(SERVER_ROLES, async (use) => makeDeliverer(use, bus(use)).start());
  plugin.onStart(SERVER_ROLES, async (use) => asking(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => outboxOf(use, recorder(use), sequencer(use)));
});
