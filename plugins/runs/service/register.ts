import {
  Clock,
  Database,
  HttpRoutes,
  Ids,
  Log,
  Metrics,
  type PluginSetup,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  Settings,
} from '../../../kernel/contracts/index.ts';
import { Audit } from '../../audit/contract.ts';
import { RunMasks } from '../../masking/contract.ts';
import {
  CredentialChecks,
  CredentialRuns,
  JobEnvironment,
  JobEnvironments,
  JournaledVerbs,
  RerunParts,
  RunCreation,
  RunEngine,
  RunObservers,
  RunStore,
  WakeRelay,
  Wakeups,
  WorkflowKinds,
} from '../contract.ts';
import { Reruns } from '../rerun/rerun.ts';
import { detailRoutes, stateRoutes } from '../detail-routes.ts';
import { runRoutes } from '../routes.ts';
import { createCredentialRuns } from '../store/run-lists.ts';
import { readLogs } from '../store/stored-logs.ts';
import type { SqlRunStore } from '../store/sql-run-store.ts';
import { Sweeper } from '../sweeper/sweeper.ts';
import { spawnVerb } from '../verbs/spawn.ts';
import { stateVerb } from '../verbs/state.ts';
import { createRunEngine, planRun, prepareRun } from './engine.ts';
import { createJobEnvironments } from './environments.ts';
import { createProjectState } from './project-state.ts';
import { createRunViews, type RunViews } from './run-views.ts';
import { RunWatch } from './run-watch.ts';
import { countTransitions } from './store-metrics.ts';
import { createStepViews } from './step-views.ts';
import { createWakeups } from './wakeups.ts';

/** The parts of the engine above its store: service, routes, sweeper and the state verb. */
export function registerService(plugin: PluginSetup, store: (use: Resolve) => SqlRunStore): void {
  const wakeups = plugin.own((use) => createWakeups(use(Log)));
  plugin.bind(Wakeups, wakeups);
  plugin.bind(WakeRelay, wakeups);
  const views = plugin.own((use) => createRunViews(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(RunEngine, (use) => engine(use, views(use)));
  plugin.bind(RunCreation, (use) => creation(use, store(use)));
  plugin.bind(JobEnvironments, (use) =>
    createJobEnvironments(use.all(JobEnvironment), views(use).facts, use(RunMasks)),
  );
  plugin.bind(CredentialRuns, (use) => createCredentialRuns(use(Database)));
  plugin.contribute(JournaledVerbs, (use) => [
    stateVerb(use(Database), use(Sealer)),
    spawnVerb(use(Database), () => use(RunCreation)),
  ]);
  plugin.contribute(RunObservers, (use) => countTransitions(use(Metrics)));
  plugin.contribute(HttpRoutes, (use) => [
    ...runRoutes(use, views(use), makeReruns(use)),
    ...detailRoutes({
      engine: use(RunEngine),
      views: views(use),
      steps: createStepViews(use(Database), use(Sealer), use(RunMasks)),
      watch: watching(use, views(use)),
      clock: use(Clock),
    }),
    ...stateRoutes(createProjectState(use(Database), use(Sealer), use(Audit))),
  ]);
  plugin.onStart(SERVER_ROLES, async (use) => sweeper(use).start());
}

function engine(use: Resolve, { read }: RunViews): RunEngine {
  const database = use(Database);
  const sealer = use(Sealer);
  const logs: RunEngine['logs'] = (run_id, after, limit) => readLogs(database, sealer, run_id, after, limit);
  return createRunEngine({
    kinds: use.all(WorkflowKinds),
    store: use(RunStore),
    ids: use(Ids),
    database,
    sealer,
    credential_checks: use.all(CredentialChecks),
    views: { read, logs },
  });
}

function creation(use: Resolve, store: SqlRunStore): RunCreation {
  const parts = {
    kinds: use.all(WorkflowKinds),
    ids: use(Ids),
    database: use(Database),
    sealer: use(Sealer),
    credential_checks: use.all(CredentialChecks),
  };
  return {
    prepare: (run) => prepareRun(parts, run),
    plan: (on, run) => planRun(parts, on, run),
    createIn: (tx, runs) => store.createIn(tx, runs),
  };
}

export const makeReruns = (use: Resolve): Reruns =>
  new Reruns({
    database: use(Database),
    sealer: use(Sealer),
    creation: use(RunCreation),
    masks: use(RunMasks),
    audit: use(Audit),
    kinds: use.all(WorkflowKinds),
    parts: () => use.all(RerunParts),
  });

function watching(use: Resolve, { versions }: RunViews): RunWatch {
  return new RunWatch({
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'run-watch' }),
    versions,
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
