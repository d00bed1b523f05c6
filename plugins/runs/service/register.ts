import {
  Clock,
  Database,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type PluginSetup,
  type Resolve,
  type Route,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../audit/contract.ts';
import { RunMasks } from '../../masking/contract.ts';
import {
  ClaimPreparations,
  CredentialChecks,
  CredentialRuns,
  DocumentChecks,
  EnvelopeSources,
  FileKeepers,
  JobEnvironment,
  JobEnvironments,
  JournaledVerbs,
  RerunParts,
  RunCoordinators,
  RunCreation,
  RunEngine,
  RunFeed,
  RunFigures,
  RunLimits,
  RunObservers,
  RunStore,
  UnderWay,
  WaitKinds,
  WaitResolver,
  WakeRelay,
  Wakeups,
  WorkflowKinds,
} from '../contract.ts';
import { readOpenRunLimits } from '../domain/open-run-limits.ts';
import { Reruns } from '../rerun/rerun.ts';
import { detailRoutes, historyRoute, stateRoutes } from '../detail-routes.ts';
import { documentRoutes } from '../document-routes.ts';
import { runRoutes } from '../routes.ts';
import { signalRoutes } from '../signal-routes.ts';
import { ActivityOwners } from '../store/activity-owners.ts';
import { settingsRoutes } from '../settings-routes.ts';
import type { RunAdmission } from '../store/admission.ts';
import { createCredentialRuns } from '../store/run-lists.ts';
import { readLogs } from '../store/stored-logs.ts';
import type { registerStore } from '../store/register.ts';
import type { SqlRunStore } from '../store/sql-run-store.ts';
import { countStarted, untrustedRefusal } from '../store/untrusted-runs.ts';
import { Sweeper } from '../sweeper/sweeper.ts';
import { callWait } from '../verbs/call.ts';
import { spawnVerb } from '../verbs/spawn.ts';
import { stateVerb } from '../verbs/state.ts';
import { CallNotifier, markCalls } from './call-notifier.ts';
import { createRunEngine, planRun, prepareRun } from './engine.ts';
import { createJobEnvironments } from './environments.ts';
import { planProgram } from './program.ts';
import { createProjectState } from './project-state.ts';
import { createHistories } from './history.ts';
import { RunDocuments } from './run-documents.ts';
import { createRunFeed, createRunFigures } from './run-feed.ts';
import { createRunViews, type RunViews } from './run-views.ts';
import { NodeViews } from './node-views.ts';
import { Tracing } from '../../tracing/contract.ts';
import { RunWaits } from './run-waits.ts';
import { createSignalViews } from './signal-views.ts';
import { RunWatch } from './run-watch.ts';
import { countTransitions } from './store-metrics.ts';
import { createStepViews } from './step-views.ts';
import { CallsUnderWay } from './under-way.ts';
import { createWakeups } from './wakeups.ts';

/** The parts of the engine above its store: service, routes, sweeper and the state verb. */
export function registerService(
  plugin: PluginSetup,
  { store, facts, admission, settings }: ReturnType<typeof registerStore>,
): void {
  const limits = (use: Resolve) => readOpenRunLimits(use(Settings).env);
  plugin.onCheck(SERVER_ROLES, async (use) => void limits(use));
  const wakeups = plugin.own((use) => createWakeups(use(Log)));
  plugin.bind(Wakeups, wakeups);
  plugin.bind(WakeRelay, wakeups);
  const under_way = plugin.own(callsUnderWay);
  plugin.bind(UnderWay, under_way);
  const views = plugin.own((use) =>
    createRunViews({
      ...reading(use),
      lease_ms: use(Settings).lease_ms,
      under_way: under_way(use),
      tracer: use(Tracing).on,
      known_facts: facts(use),
    }),
  );
  plugin.bind(RunEngine, (use) => engine(use, views(use)));
  plugin.bind(RunCreation, (use) => creation(use, store(use), admission(use)));
  plugin.bind(JobEnvironments, (use) =>
    createJobEnvironments({
      sources: use.all(JobEnvironment),
      preparations: use.all(ClaimPreparations),
      facts: views(use).facts,
      masks: use(RunMasks),
    }),
  );
  plugin.bind(CredentialRuns, (use) => createCredentialRuns(use(Database)));
  plugin.bind(RunFeed, (use) => createRunFeed(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(RunFigures, (use) => createRunFigures(use(Database), use(RunMasks)));
  plugin.contribute(JournaledVerbs, (use) => [
    stateVerb(use(Database), use(Sealer)),
    spawnVerb(
      use(Database),
      () => use(RunCreation),
      () => use(RunLimits),
    ),
  ]);
  const calls = plugin.own((use) => callNotifier(use, store(use)));
  plugin.contribute(WaitKinds, (use) =>
    callWait({
      database: use(Database),
      creation: () => use(RunCreation),
      engine: () => use(RunEngine),
      max_called: limits(use).called,
      limits: () => use(RunLimits),
      left: () => calls(use).wake(),
    }),
  );
  plugin.contribute(RunObservers, (use) => [countTransitions(use(Metrics)), markCalls(() => calls(use).wake())]);
  plugin.contribute(HttpRoutes, (use) => [
    ...routes(use, views(use), under_way(use)),
    ...settingsRoutes({ database: use(Database), audit: use(Audit), settings: settings(use) }),
  ]);
  plugin.onStart(SERVER_ROLES, async (use) => sweeper(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => calls(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => under_way(use).start());
}

const reading = (use: Resolve) => ({ on: use(Database), sealer: use(Sealer), masks: use(RunMasks) });

function engine(use: Resolve, { read }: RunViews): RunEngine {
  const database = use(Database);
  const sealer = use(Sealer);
  const logs: RunEngine['logs'] = (...asked) => readLogs(database, sealer, ...asked);
  return createRunEngine({
    kinds: use.all(WorkflowKinds),
    store: use(RunStore),
    ids: use(Ids),
    database,
    sealer,
    credential_checks: use.all(CredentialChecks),
    file_keepers: use.all(FileKeepers),
    document_checks: () => use.all(DocumentChecks),
    views: { read, logs },
  });
}

function creation(use: Resolve, store: SqlRunStore, admission: RunAdmission): RunCreation {
  const parts = {
    kinds: use.all(WorkflowKinds),
    ids: use(Ids),
    database: use(Database),
    sealer: use(Sealer),
    credential_checks: use.all(CredentialChecks),
    file_keepers: use.all(FileKeepers),
  };
  return {
    prepare: (run, by) => prepareRun(parts, run, by),
    async plan(on, run) {
      await admission.require(on, run.project_id);
      return { ...(await planRun(parts, on, run)), admitted: true };
    },
    program: (on, run, document) => planProgram(parts.kinds, on, run, document),
    createIn: (tx, runs) => store.createIn(tx, runs),
    untrustedRefusal: (on, scope) => untrustedRefusal(on, use(RunLimits), scope),
    countStarted: (tx, run_id, runs, deliveries) => countStarted(tx, use(RunLimits), run_id, runs, deliveries),
  };
}

export const makeReruns = (use: Resolve): Reruns =>
  new Reruns({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    creation: use(RunCreation),
    tracer: use(Tracing).on,
    masks: use(RunMasks),
    audit: use(Audit),
    kinds: use.all(WorkflowKinds),
    parts: () => use.all(RerunParts),
    coordinators: () => use.all(RunCoordinators),
  });

function routes(use: Resolve, views: RunViews, under_way: CallsUnderWay): Route[] {
  const [clock, watch] = [use(Clock), watching(use, 'run-watch', views.versions)];
  const parts = { ...reading(use), under_way };
  const steps = createStepViews(parts);
  const nodes = new NodeViews({ ...parts, coordinators: () => use.all(RunCoordinators) });
  const ends = watching(use, 'run-ends', views.ended);
  const waits = new RunWaits({ ...views, watch: ends, clock });
  const envelope_sources = use.all(EnvelopeSources);
  use(Metrics).gauge('svc_runs_waiting_requests', 'Requests that wait for the end of a run.', () => waits.size);
  return [
    ...runRoutes(use, views, waits, makeReruns(use)),
    ...signalRoutes(use(RunStore), createSignalViews(parts.on, use(RunMasks))),
    ...detailRoutes({ engine: use(RunEngine), views, steps, nodes, watch, clock, on: parts.on }),
    historyRoute(createHistories({ ...parts, envelope_sources, kinds: () => use.all(WorkflowKinds) })),
    ...documentRoutes(new RunDocuments({ ...parts, envelope_sources })),
    ...stateRoutes(createProjectState(use(Database), use(Sealer), use(Audit))),
  ];
}

function watching(use: Resolve, part: string, versions: RunViews['versions']): RunWatch {
  return new RunWatch({
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part }),
    versions,
  });
}

function callsUnderWay(use: Resolve): CallsUnderWay {
  const underWay = new CallsUnderWay({
    database: use(Database),
    owners: new ActivityOwners(use(Database), use(Sealer)),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'under-way' }),
  });
  use(Metrics).gauge('svc_runs_calls_under_way', 'Calls that agents of this server carry out.', () => underWay.size);
  return underWay;
}

function callNotifier(use: Resolve, store: SqlRunStore): CallNotifier {
  return new CallNotifier({
    database: use(Database),
    sealer: use(Sealer),
    store,
    resolver: use(WaitResolver),
    engine: use(RunEngine),
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'calls' }),
  });
}

function sweeper(use: Resolve): Sweeper {
  return new Sweeper({
    store: use(RunStore),
    wakeups: use(Wakeups),
    database: use(Database),
    clock: use(Clock),
    log: use(Log).child({ part: 'sweeper' }),
    lease_ms: use(Settings).lease_ms,
  });
}
