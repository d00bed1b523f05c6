import {
  Clock,
  Database,
  GroupCommits,
  Ids,
  Log,
  Metrics,
  type PluginSetup,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
  withFailpoints,
} from '../../../kernel/contracts/index.ts';
import { Prunables } from '../../retention/contract.ts';
import { Audit } from '../../audit/contract.ts';
import { RunMasks } from '../../masking/contract.ts';
import {
  Activities,
  ActivityObservers,
  EnvelopeSources,
  FileHolders,
  InstantClaims,
  JournaledVerbs,
  LightExecutors,
  CoordinatedRuns,
  RunCoordinators,
  OpenRuns,
  RunFiles,
  RunOrigins,
  RunGuard,
  RunLeftovers,
  RunLimits,
  RunObservers,
  RunStore,
  RunTables,
  NodeSpans,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  WakeRelay,
  Wakeups,
  WorkObservers,
} from '../contract.ts';
import { Tracing } from '../../tracing/contract.ts';
import { RunSpans } from '../trace/run-spans.ts';
import { readRunLimits } from '../domain/read-limits.ts';
import { retryKind } from '../domain/retry-kind.ts';
import { sleepKind } from '../domain/sleep-kind.ts';
import { runsMigrations } from '../migrations/index.ts';
import { claimLatency, measuredStore } from '../service/store-metrics.ts';
import { readOpenRunLimits } from '../domain/open-run-limits.ts';
import { createActivities } from './activities.ts';
import { RunAdmission } from './admission.ts';
import { ActivityOwners } from './activity-owners.ts';
import { runOrigins } from './origins.ts';
import { createRunFiles, heldByRuns } from './run-files.ts';
import { createRunGuard } from './guard.ts';
import { activitiesHoldTime } from './held-clock.ts';
import { KnownFacts } from './known-facts.ts';
import { KnownLanes } from './known-lanes.ts';
import { createOpenRuns } from './open-runs.ts';
import type { StoreSettings } from './parts.ts';
import { prunableLogs } from './prune-logs.ts';
import { prunableRuns } from './prune-runs.ts';
import { RunSettings } from './run-settings.ts';
import { signalQueue, waitSignalKind } from './signals.ts';
import { SqlRunStore } from './sql-run-store.ts';

/** The tables and the transitions of the engine. */
export function registerStore(plugin: PluginSetup): {
  store: (use: Resolve) => SqlRunStore;
  facts: (use: Resolve) => KnownFacts;
  admission: (use: Resolve) => RunAdmission;
  settings: (use: Resolve) => RunSettings;
} {
  plugin.migrations(runsMigrations);
  const lanes = plugin.own(
    (use) =>
      new KnownLanes(
        () => use.all(LightExecutors).map(({ executor }) => executor),
        () => use(Database).now(),
      ),
  );
  const latency = plugin.own((use) => claimLatency(use(Metrics)));
  const spans = plugin.own(makeSpans);
  const facts = plugin.own(() => new KnownFacts());
  const admission = plugin.own((use) => new RunAdmission(readOpenRunLimits(use(Settings).env).open, use(Clock)));
  const settings = plugin.own((use) => new RunSettings(use(Clock)));
  const store = plugin.own((use) =>
    makeStore(use, {
      ...{
        lanes: lanes(use),
        facts: facts(use),
        spans: spans(use),
        admission: admission(use),
        settings: settings(use),
      },
      claimedAtOnce: () => latency(use).observe({}, 0),
    }),
  );
  plugin.bind(RunStore, (use) =>
    measuredStore(withFailpoints('runs.store', store(use)), use(Metrics), use(Clock), latency(use)),
  );
  plugin.bind(RunLimits, (use) => readRunLimits(use(Settings)));
  plugin.onCheck(SERVER_ROLES, async (use) => {
    // A wrong setting stops the start.
    use(RunLimits);
  });
  plugin.bind(WaitResolver, store);
  plugin.bind(CoordinatedRuns, store);
  plugin.bind(InstantClaims, store);
  plugin.bind(NodeSpans, (use) => {
    const on = spans(use);
    return { over: on && ((tx, run_id, nodes) => on.nodesOver(tx, run_id, nodes)) };
  });
  plugin.onStart(SERVER_ROLES, async (use) => () => spans(use)?.stop());
  plugin.onStart(SERVER_ROLES, async (use) => {
    const release = use(Clock).skips?.hold(activitiesHoldTime(use(Database)));
    return () => release?.();
  });
  plugin.bind(Activities, (use) => makeActivities(use, lanes(use)));
  plugin.bind(RunFiles, (use) => createRunFiles(use(Database)));
  plugin.bind(RunOrigins, () => runOrigins);
  plugin.contribute(FileHolders, (use) => heldByRuns(use(Database)));
  plugin.bind(OpenRuns, (use) => createOpenRuns(use(Database)));
  plugin.bind(RunGuard, (use) =>
    createRunGuard(use(Database), new ActivityOwners(use(Database), use(Sealer)), use(RunLimits)),
  );
  plugin.bind(SignalQueue, (use) => signalQueue(use(Sealer), use(Database)));
  plugin.contribute(Prunables, (use) => [
    prunableRuns(use(Database), { tables: () => use.all(RunTables), leftovers: () => use.all(RunLeftovers) }),
    prunableLogs(use(Database)),
  ]);
  plugin.contribute(WaitKinds, (use) => {
    const database = use(Database);
    return [sleepKind, retryKind, waitSignalKind(use(Sealer), () => database.now())];
  });
  return { store, facts, admission, settings };
}

const makeActivities = (use: Resolve, lanes: KnownLanes) =>
  createActivities({
    database: use(Database),
    sealer: use(Sealer),
    wakeups: use(Wakeups),
    ids: use(Ids),
    lanes,
    limits: use(RunLimits),
  });

/** Undefined without tracing, and known before anything is recorded. */
function makeSpans(use: Resolve): RunSpans | undefined {
  const tracer = use(Tracing).on;
  if (!tracer) return undefined;
  const kinds = new Set(use.all(WaitKinds).map(({ kind }) => kind));
  return new RunSpans({
    tracer,
    database: use(Database),
    masks: use(RunMasks),
    clock: use(Clock),
    log: use(Log).child({ part: 'runs' }),
    isWait: (kind) => kinds.has(kind),
  });
}

type Owned = Pick<StoreSettings, 'lanes' | 'facts' | 'spans' | 'admission' | 'settings' | 'claimedAtOnce'>;

function makeStore(use: Resolve, owned: Owned): SqlRunStore {
  return new SqlRunStore({
    ...owned,
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    ids: use(Ids),
    clock: use(Clock),
    wakeups: use(Wakeups),
    wait_kinds: use.all(WaitKinds),
    verbs: use.all(JournaledVerbs),
    observers: use.all(RunObservers),
    submit_observers: use.all(SubmitObservers),
    work_observers: use.all(WorkObservers),
    activity_observers: use.all(ActivityObservers),
    envelope_sources: use.all(EnvelopeSources),
    coordinators: use.all(RunCoordinators),
    audit: use(Audit),
    limits: use(RunLimits),
    masks: use(RunMasks),
    workLater: (ms) => void use(Clock).after(ms, () => use(WakeRelay).deliver({ wake: 'work' }), { unref: true }),
    public_url: use(Settings).public_url,
  });
}
