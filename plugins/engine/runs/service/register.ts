import {
  AccessControl,
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
} from '../../../../kernel/contracts/index.ts';
import { Audit } from '../../../platform/audit/contract.ts';
import { DocumentWorkers } from '../../../platform/expressions/contract.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import {
  checksCredentials,
  retainsFiles,
  SharedContents,
  CredentialRuns,
  DocumentChecks,
  EnvelopeSources,
  JobEnvironment,
  JobEnvironments,
  RerunParts,
  RunCoordinators,
  RunCreation,
  RunReruns,
  RunEngine,
  RunFeed,
  RunFigures,
  RunLimits,
  RunObservers,
  RunReader,
  RunStore,
  RunTimesReader,
  RunWatcher,
  UnderWay,
  WakeRelay,
  Wakeups,
  WorkflowKinds,
} from '../contract.ts';
import { readOpenRunLimits } from '../domain/open-run-limits.ts';
import { Reruns } from '../rerun/rerun.ts';
import { runRoutes } from '../routes.ts';
import { signalRoutes } from '../signal-routes.ts';
import { settingsRoutes } from '../settings-routes.ts';
import { createCredentialRuns } from '../store/read/run-lookups.ts';
import { createRunReader } from '../store/read/run-reader.ts';
import { readRunTimes } from '../store/read/run-times.ts';
import { readLogs } from '../store/read/stored-logs.ts';
import { ActivityOwners } from '../store/rows/activities.ts';
import type { RunEnvironments } from '../store/rows/runs.ts';
import { countChildren, countSpawn, countStarted, untrustedRejection } from '../store/rows/usage.ts';
import type { RunTransitions } from '../store/run-store.ts';
import type { RunAdmission } from '../store/submit/admission.ts';
import type { RunSettings } from '../store/submit/settings.ts';
import { Sweeper } from '../sweeper/sweeper.ts';
import { createRunEngine, planRun, prepareRun } from './engine.ts';
import { createJobEnvironments } from './environments.ts';
import { inheritedRun } from './inherited-run.ts';
import { planProgram } from './program.ts';
import { createPausingLoop } from './pausing.ts';
import { RunInputs } from './inputs.ts';
import { createRunFeed, createRunFigures } from './run-feed.ts';
import { createRunRecords, type RunRecords } from './run-records.ts';
import { Tracing } from '../../../platform/tracing/contract.ts';
import { RunWaits } from './run-waits.ts';
import { RunWatch } from './run-watch.ts';
import { countTransitions } from './store-metrics.ts';
import { CallsUnderWay } from './under-way.ts';
import { createWakeups } from './wakeups.ts';

/** The parts of the engine above its store: service, routes, sweeper and the state verb. */
export function registerService(
  plugin: PluginSetup,
  {
    store,
    run_environments,
    admission,
    settings,
  }: {
    store: (use: Resolve) => RunTransitions;
    run_environments: (use: Resolve) => RunEnvironments;
    admission: (use: Resolve) => RunAdmission;
    settings: (use: Resolve) => RunSettings;
  },
): void {
  const limits = (use: Resolve) => readOpenRunLimits(use(Settings).env);
  plugin.onCheck(SERVER_ROLES, async (use) => void limits(use));
  const wakeups = plugin.own((use) => createWakeups(use(Log)));
  plugin.bind(Wakeups, wakeups);
  plugin.bind(WakeRelay, wakeups);
  const under_way = plugin.own(callsUnderWay);
  plugin.bind(UnderWay, under_way);
  const records = plugin.own((use) =>
    createRunRecords({
      ...{ on: use(Database), sealer: use(Sealer), masks: use(RunMasks) },
      lease_ms: use(Settings).lease_ms,
      under_way: under_way(use),
      tracer: use(Tracing).on,
      known_environments: run_environments(use),
    }),
  );
  plugin.bind(RunEngine, (use) => engine(use, records(use)));
  plugin.bind(RunReruns, (use) => {
    const reruns = makeReruns(use);
    return { rerun: (order) => reruns.rerun({ ...order, from: undefined }) };
  });
  plugin.bind(RunCreation, (use) => creation(use, store(use), admission(use)));
  plugin.bind(JobEnvironments, (use) =>
    createJobEnvironments({
      given: use.all(JobEnvironment),
      facts: records(use).facts,
      masks: use(RunMasks),
    }),
  );
  plugin.bind(RunReader, (use) => reader(use, under_way(use)));
  plugin.bind(RunWatcher, (use) => watching(use, 'run-watch', records(use).versions));
  plugin.bind(CredentialRuns, (use) => createCredentialRuns(use(Database)));
  plugin.bind(RunFeed, (use) => createRunFeed(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(RunFigures, (use) => createRunFigures(use(Database), use(RunMasks)));
  plugin.bind(RunTimesReader, (use) => ({ read: (run_ids, limit) => readRunTimes(use(Database), run_ids, limit) }));
  plugin.contribute(RunObservers, (use) => countTransitions(use(Metrics)));
  plugin.contribute(HttpRoutes, (use) => [
    ...routes(use, records(use)),
    ...settingsRoutes({ database: use(Database), audit: use(Audit), settings: settings(use) }),
  ]);
  plugin.onStart(SERVER_ROLES, async (use) => sweeper(use).start());
  plugin.onStart(SERVER_ROLES, async (use) => under_way(use).start());
  plugin.onStart(SERVER_ROLES, async (use) =>
    createPausingLoop({
      ...{ database: use(Database), store: store(use), wakeups: use(Wakeups), clock: use(Clock) },
      log: use(Log).child({ part: 'pausing' }),
    }).start(),
  );
}

function engine(use: Resolve, { read }: RunRecords): RunEngine {
  const database = use(Database);
  const sealer = use(Sealer);
  const logs: RunEngine['logs'] = (...asked) => readLogs(database, sealer, ...asked);
  return createRunEngine({
    kinds: use.all(WorkflowKinds),
    store: use(RunStore),
    ids: use(Ids),
    database,
    sealer,
    ...checks(use),
    document_checks: () => use.all(DocumentChecks),
    views: { read, logs },
  });
}

/** Resolved at the first submit: what checks it may itself need the engine. */
const checks = (use: Resolve) => ({
  credential_checks: () => use.all(JobEnvironment).filter(checksCredentials),
  retained_files: () => use.all(SharedContents).filter(retainsFiles),
  inputs: new RunInputs({ workers: () => use(DocumentWorkers), envelope_sources: () => use.all(EnvelopeSources) }),
});

function creation(use: Resolve, store: RunTransitions, admission: RunAdmission): RunCreation {
  const deps = {
    kinds: use.all(WorkflowKinds),
    ids: use(Ids),
    database: use(Database),
    sealer: use(Sealer),
    ...checks(use),
  };
  return {
    prepare: (run, by) => prepareRun(deps, run, by),
    async plan(on, run) {
      await admission.assertCapacity(on, run.project_id);
      return { ...(await planRun(deps, on, run)), admitted: true };
    },
    program: (on, run, document) => planProgram(deps.kinds, on, run, document),
    createIn: (tx, runs) => store.createIn(tx, runs),
    untrustedRefusal: (on, scope) => untrustedRejection(on, use(RunLimits), scope),
    countStarted: (tx, run_id, runs, deliveries) => countStarted(tx, use(RunLimits), run_id, runs, deliveries),
    countSpawn: (tx, run) => countSpawn(tx, run, use(RunLimits)),
    countChildren: (tx, run_id, children) => countChildren(tx, use(RunLimits), run_id, children),
    inherit: inheritedRun,
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

function reader(use: Resolve, calls: CallsUnderWay): RunReader {
  const database = use(Database);
  return createRunReader({
    database,
    sealer: use(Sealer),
    inFlight: (run_id) => calls.of(database, run_id),
    envelope_sources: use.all(EnvelopeSources),
    tracer: use(Tracing).on,
  });
}

function routes(use: Resolve, records: RunRecords): Route[] {
  const waits = new RunWaits({ ...records, watch: watching(use, 'run-ends', records.ended), clock: use(Clock) });
  use(Metrics).gauge('svc_runs_waiting_requests', 'Requests that wait for the end of a run.', () => waits.size);
  return [
    ...runRoutes(use, records, waits, makeReruns(use)),
    ...signalRoutes({ store: use(RunStore), access: () => use(AccessControl) }),
  ];
}

function watching(use: Resolve, part: string, versions: RunRecords['versions']): RunWatch {
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
  use(Metrics).gauge('svc_runs_calls_under_way', 'Calls in progress on agents of this server.', () => underWay.size);
  return underWay;
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
