import {
  Clock,
  Database,
  GroupCommits,
  Ids,
  Metrics,
  type PluginSetup,
  type Resolve,
  Sealer,
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
  RunGuard,
  RunLeftovers,
  RunObservers,
  RunStore,
  RunTables,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  WakeRelay,
  Wakeups,
} from '../contract.ts';
import { retryKind } from '../domain/retry-kind.ts';
import { sleepKind } from '../domain/sleep-kind.ts';
import { runsMigrations } from '../migrations/index.ts';
import { claimLatency, measuredStore } from '../service/store-metrics.ts';
import { createActivities } from './activities.ts';
import { ActivityOwners } from './activity-owners.ts';
import { createRunFiles, heldByRuns } from './run-files.ts';
import { createRunGuard } from './guard.ts';
import { KnownLanes } from './known-lanes.ts';
import { createOpenRuns } from './open-runs.ts';
import { prunableLogs } from './prune-logs.ts';
import { prunableRuns } from './prune-runs.ts';
import { signalQueue, waitSignalKind } from './signals.ts';
import { SqlRunStore } from './sql-run-store.ts';

/** The tables and the transitions of the engine. */
export function registerStore(plugin: PluginSetup): (use: Resolve) => SqlRunStore {
  plugin.migrations(runsMigrations);
  const lanes = plugin.own((use) => new KnownLanes(() => use.all(LightExecutors).map(({ executor }) => executor)));
  const latency = plugin.own((use) => claimLatency(use(Metrics)));
  const store = plugin.own((use) => makeStore(use, lanes(use), () => latency(use).observe({}, 0)));
  plugin.bind(RunStore, (use) =>
    measuredStore(withFailpoints('runs.store', store(use)), use(Metrics), use(Clock), latency(use)),
  );
  plugin.bind(WaitResolver, store);
  plugin.bind(CoordinatedRuns, store);
  plugin.bind(InstantClaims, store);
  plugin.bind(Activities, (use) => makeActivities(use, lanes(use)));
  plugin.bind(RunFiles, (use) => createRunFiles(use(Database)));
  plugin.contribute(FileHolders, (use) => heldByRuns(use(Database)));
  plugin.bind(OpenRuns, (use) => createOpenRuns(use(Database)));
  plugin.bind(RunGuard, (use) => createRunGuard(use(Database), new ActivityOwners(use(Database), use(Sealer))));
  plugin.bind(SignalQueue, (use) => signalQueue(use(Sealer), use(Database)));
  plugin.contribute(Prunables, (use) => [
    prunableRuns(use(Database), { tables: () => use.all(RunTables), leftovers: () => use.all(RunLeftovers) }),
    prunableLogs(use(Database)),
  ]);
  plugin.contribute(WaitKinds, (use) => {
    const database = use(Database);
    return [sleepKind, retryKind, waitSignalKind(use(Sealer), () => database.now())];
  });
  return store;
}

const makeActivities = (use: Resolve, lanes: KnownLanes) =>
  createActivities({ database: use(Database), sealer: use(Sealer), wakeups: use(Wakeups), ids: use(Ids), lanes });

function makeStore(use: Resolve, lanes: KnownLanes, claimedAtOnce: () => void): SqlRunStore {
  return new SqlRunStore({
    lanes,
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    ids: use(Ids),
    clock: use(Clock),
    claimedAtOnce,
    wakeups: use(Wakeups),
    wait_kinds: use.all(WaitKinds),
    verbs: use.all(JournaledVerbs),
    observers: use.all(RunObservers),
    submit_observers: use.all(SubmitObservers),
    activity_observers: use.all(ActivityObservers),
    envelope_sources: use.all(EnvelopeSources),
    coordinators: use.all(RunCoordinators),
    audit: use(Audit),
    masks: use(RunMasks),
    workLater: (ms) => void use(Clock).after(ms, () => use(WakeRelay).deliver({ wake: 'work' }), { unref: true }),
    public_url: use(Settings).public_url,
  });
}
