import {
  Clock,
  Database,
  definePlugin,
  GroupCommits,
  Ids,
  Log,
  Metrics,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
  withFailpoints,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { Prunables } from '../../platform/retention/contract.ts';
import { Tracing } from '../../platform/tracing/contract.ts';
import { RunMasks } from '../../security/masking/contract.ts';
import {
  Activities,
  ActivityObservers,
  CoordinatedRuns,
  EnvelopeSources,
  FileHolders,
  InstantClaims,
  JournaledVerbs,
  LightExecutors,
  NodeSpans,
  OpenRuns,
  RunCancellation,
  RunCoordinators,
  RunFiles,
  RunGuard,
  RunLimits,
  RunObservers,
  RunOrigins,
  RunStore,
  RunTables,
  SharedContents,
  SignalQueue,
  SubmitObservers,
  WaitKinds,
  WaitResolver,
  WakeRelay,
  Wakeups,
  WorkObservers,
} from './contract.ts';
import { readOpenRunLimits } from './domain/open-run-limits.ts';
import { readRunLimits } from './domain/read-limits.ts';
import { retryKind } from './domain/retry-kind.ts';
import { sleepKind } from './domain/sleep-kind.ts';
import { runsMigrations } from './migrations/index.ts';
import manifest from './plugin.json' with { type: 'json' };
import { registerService } from './service/register.ts';
import { claimLatency, measuredStore } from './service/store-metrics.ts';
import { TaskQueues } from './store/claim/queues.ts';
import { activityTimeHold } from './store/claim/time-hold.ts';
import { createRunFiles, prunableLogs, prunableRuns, sourceFileHolder } from './store/prune/prune.ts';
import { ActivityOwners, createRunGuard } from './store/rows/activities.ts';
import { readJournalBytes } from './store/rows/journal.ts';
import { JournalSizes } from './store/rows/journal-sizes.ts';
import { createActivities } from './store/rows/activity-ends.ts';
import { createOpenRuns, RunEnvironments, runOrigins } from './store/rows/runs.ts';
import { createRunStore, type RunStoreOptions } from './store/run-store.ts';
import { RunAdmission } from './store/submit/admission.ts';
import { RunSettings } from './store/submit/settings.ts';
import { Sources } from './store/submit/sources.ts';
import { waitAnyKind } from './store/wait/any.ts';
import { signalQueue, waitSignalKind } from './store/wait/signal.ts';
import { RunSpans } from './trace/run-spans.ts';

export default definePlugin(manifest, (plugin) => {
  plugin.migrations(runsMigrations);
  const queues = plugin.own(
    (use) =>
      new TaskQueues(
        () => use.all(LightExecutors).map(({ executor }) => executor),
        () => use(Database).now(),
      ),
  );
  const latency = plugin.own((use) => claimLatency(use(Metrics)));
  const spans = plugin.own(makeSpans);
  const run_environments = plugin.own(() => new RunEnvironments());
  const admission = plugin.own((use) => new RunAdmission(readOpenRunLimits(use(Settings).env).open, use(Clock)));
  const settings = plugin.own((use) => new RunSettings(use(Clock)));
  const sources = plugin.own((use) => new Sources(use(Sealer)));
  const store = plugin.own((use) =>
    createRunStore({
      ...contracts(use),
      queues: queues(use),
      run_environments: run_environments(use),
      spans: spans(use),
      admission: admission(use),
      settings: settings(use),
      sources: sources(use),
      onEagerClaim: () => latency(use).observe({}, 0),
    }),
  );
  plugin.bind(RunStore, (use) =>
    measuredStore(withFailpoints('runs.store', store(use)), use(Metrics), use(Clock), latency(use)),
  );
  plugin.bind(WaitResolver, store);
  plugin.bind(RunCancellation, store);
  plugin.bind(CoordinatedRuns, store);
  plugin.bind(InstantClaims, store);
  plugin.bind(RunLimits, (use) => readRunLimits(use(Settings)));
  plugin.onCheck(SERVER_ROLES, async (use) => {
    // A wrong setting stops the start.
    use(RunLimits);
  });
  plugin.bind(NodeSpans, (use) => {
    const on = spans(use);
    return { over: on && ((tx, run_id, nodes) => on.nodesOver(tx, run_id, nodes)) };
  });
  plugin.onStart(SERVER_ROLES, async (use) => () => spans(use)?.stop());
  plugin.onStart(SERVER_ROLES, async (use) => {
    const release = use(Clock).skips?.hold(activityTimeHold(use(Database)));
    return () => release?.();
  });
  plugin.bind(Activities, (use) =>
    createActivities({
      database: use(Database),
      sealer: use(Sealer),
      wakeups: use(Wakeups),
      ids: use(Ids),
      queues: queues(use),
      limits: use(RunLimits),
    }),
  );
  plugin.bind(RunFiles, (use) => createRunFiles(use(Database)));
  plugin.bind(RunOrigins, () => runOrigins);
  plugin.contribute(FileHolders, (use) => sourceFileHolder(use(Database)));
  plugin.bind(OpenRuns, (use) => createOpenRuns(use(Database)));
  plugin.bind(RunGuard, (use) =>
    createRunGuard(use(Database), new ActivityOwners(use(Database), use(Sealer)), use(RunLimits)),
  );
  plugin.bind(SignalQueue, (use) => signalQueue(use(Sealer), use(Database)));
  plugin.contribute(Prunables, (use) => [
    prunableRuns(use(Database), {
      sources: sources(use),
      tables: () => use.all(RunTables),
      shared_contents: () => use.all(SharedContents),
    }),
    prunableLogs(use(Database)),
  ]);
  plugin.contribute(WaitKinds, (use) => {
    const database = use(Database);
    const now = () => database.now();
    const kindOf = (kind: string) => use.all(WaitKinds).find((one) => one.kind === kind);
    return [sleepKind, retryKind, waitSignalKind(use(Sealer), now), waitAnyKind(use(Sealer), now, kindOf)];
  });
  registerService(plugin, { store, run_environments, admission, settings });
});

/** What the store takes of other plugins. */
const contracts = (use: Resolve) =>
  ({
    database: use(Database),
    group_commits: use(GroupCommits),
    sealer: use(Sealer),
    ids: use(Ids),
    clock: use(Clock),
    wakeups: use(Wakeups),
    audit: use(Audit),
    limits: use(RunLimits),
    masks: use(RunMasks),
    wait_kinds: new Map(use.all(WaitKinds).map((kind) => [kind.kind, kind])),
    verbs: new Map(use.all(JournaledVerbs).map((verb) => [verb.kind, verb])),
    coordinators: new Map(use.all(RunCoordinators).map((coordinator) => [coordinator.name, coordinator])),
    observers: use.all(RunObservers),
    submit_observers: use.all(SubmitObservers),
    work_observers: use.all(WorkObservers),
    activity_observers: use.all(ActivityObservers),
    envelope_sources: use.all(EnvelopeSources),
    owners: new ActivityOwners(use(Database), use(Sealer)),
    journal_sizes: new JournalSizes((at) => readJournalBytes(use(Database), at), use(RunLimits)),
    pollLater: (ms) => void use(Clock).after(ms, () => use(WakeRelay).deliver({ wake: 'work' }), { unref: true }),
    public_url: use(Settings).public_url,
  }) satisfies Partial<RunStoreOptions>;

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
