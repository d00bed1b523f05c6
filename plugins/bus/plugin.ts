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
  type PluginManifest,
  type PluginSetup,
  Prunables,
  type Resolve,
  Sealer,
  SERVER_ROLES,
} from '../../kernel/contracts/index.ts';
import { Audit } from '../audit/contract.ts';
import { RunMasks } from '../masking/contract.ts';
import {
  EnvelopeSources,
  JournaledVerbs,
  OpenRuns,
  RunObservers,
  RunStore,
  RunTables,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  Wakeups,
} from '../runs/contract.ts';
import { DeclaredTypes, EventBus, EventKeepers, EventReactions } from './contract.ts';
import { busTables } from './migrations/0001-bus.ts';
import manifest from './plugin.json' with { type: 'json' };
import { emitEventRoute } from './routes/emit-event.ts';
import { getEventRoute } from './routes/get-event.ts';
import { listEventTypesRoute } from './routes/list-event-types.ts';
import { listEventsRoute } from './routes/list-events.ts';
import { createBell, FiredBell } from './service/bell.ts';
import { Bus, OwnBus } from './service/bus.ts';
import { Deliverer, FIRED_TOPIC } from './service/deliverer.ts';
import { emitVerb } from './service/emit-verb.ts';
import { envelopeSource } from './service/envelopes.ts';
import { createEventCatalog, EventCatalog } from './service/event-catalog.ts';
import { createEventViews, EventViews } from './service/event-views.ts';
import { lifecycleObserver } from './service/lifecycle.ts';
import { prunableEvents } from './service/prune.ts';
import { Recorder } from './service/recorder.ts';
import { submitObserver } from './service/triggers.ts';
import { eventWaitKind } from './service/wait-kind.ts';

/** Reactions by precedence; asked for at the first event, because what they start is made by the engine. */
const reactions = (use: Resolve) => () => use.all(EventReactions).toSorted((a, b) => a.precedence - b.precedence);
const expressions = (use: Resolve) => (): Expressions => use(Expressions);

function makeRecorder(use: Resolve): Recorder {
  const [bell, wakeups] = [use(FiredBell), use(Wakeups)];
  return new Recorder({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    audit: use(Audit),
    log: use(Log).child({ part: 'bus' }),
    metrics: use(Metrics),
    reactions: reactions(use),
    expressions: expressions(use),
    fired() {
      bell.ring();
      wakeups.topic(FIRED_TOPIC);
    },
  });
}

const makeBus = (use: Resolve) =>
  new Bus({
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    recorder: makeRecorder(use),
  });

const makeViews = (use: Resolve) =>
  createEventViews({ database: use(Database), sealer: use(Sealer), bus: use(OwnBus), masks: use(RunMasks) });

const makeDeliverer = (use: Resolve) =>
  new Deliverer({
    database: use(Database),
    sealer: use(Sealer),
    bus: use(OwnBus),
    resolver: use(WaitResolver),
    runs: use(RunStore),
    bell: use(FiredBell),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'bus' }),
    metrics: use(Metrics),
  });

/** What becomes of events, and of runs, that are long over. */
function registerRetention(plugin: PluginSetup): void {
  plugin.contribute(Prunables, (use) =>
    prunableEvents({
      database: use(Database),
      open_runs: () => use(OpenRuns),
      keepers: () => use.all(EventKeepers),
    }),
  );
  plugin.contribute(RunTables, () => ['bus_waits', 'bus_cancels'].map((table) => ({ table, column: 'run_id' })));
}

/** What the engine asks and tells. */
function registerWithRuns(plugin: PluginSetup): void {
  plugin.contribute(RunObservers, (use) => lifecycleObserver(use(OwnBus)));
  plugin.contribute(SubmitObservers, (use) => submitObserver(use(OwnBus)));
  plugin.contribute(EnvelopeSources, (use) => envelopeSource(use(OwnBus)));
  plugin.contribute(JournaledVerbs, (use) => emitVerb(use(Sealer), use(OwnBus)));
  plugin.contribute(WaitKinds, (use) =>
    eventWaitKind({
      database: use(Database),
      sealer: use(Sealer),
      signals: use(SignalQueue),
      expressions: expressions(use),
    }),
  );
}

export default definePlugin(manifest satisfies PluginManifest, (plugin) => {
  plugin.migrations([busTables]);
  plugin.bind(FiredBell, createBell);
  plugin.bind(OwnBus, makeBus);
  plugin.bind(EventBus, (use) => use(OwnBus));
  plugin.bind(EventViews, makeViews);
  plugin.bind(EventCatalog, (use) =>
    createEventCatalog({ database: use(Database), declared: use.all(DeclaredTypes), views: use(EventViews) }),
  );
  registerWithRuns(plugin);
  registerRetention(plugin);
  plugin.contribute(HttpRoutes, (use) => [
    emitEventRoute(use(OwnBus)),
    listEventsRoute(use(EventViews), use(Clock)),
    getEventRoute(use(EventViews)),
    listEventTypesRoute(use(EventCatalog)),
  ]);
  plugin.onStart(SERVER_ROLES, async (use) => makeDeliverer(use).start());
});
