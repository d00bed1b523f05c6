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
import { OwnReruns, Reruns } from '../rerun/rerun.ts';
import { runRoutes } from '../routes/index.ts';
import { readLogs } from '../store/reading.ts';
import { OwnStore } from '../store/register.ts';
import { Sweeper } from '../sweeper/sweeper.ts';
import { spawnVerb } from '../verbs/spawn.ts';
import { stateVerb } from '../verbs/state.ts';
import { createRunEngine, planRun, prepareRun } from './engine.ts';
import { createCredentialRuns } from './credential-runs.ts';
import { createJobEnvironments } from './environments.ts';
import { createProjectState, ProjectState } from './project-state.ts';
import { createRunViews, RunViews } from './run-views.ts';
import { RunWatch, RunWatching } from './run-watch.ts';
import { countTransitions } from './store-metrics.ts';
import { createStepViews, StepViews } from './step-views.ts';
import { createWakeups, OwnWakeups } from './wakeups.ts';

/** Everything of the engine that lies above its store: the service, the routes, the sweeper and the state verb. */
export function registerService(plugin: PluginSetup): void {
  plugin.bind(OwnWakeups, (use) => createWakeups(use(Log)));
  plugin.bind(Wakeups, (use) => use(OwnWakeups));
  plugin.bind(WakeRelay, (use) => use(OwnWakeups));
  plugin.bind(RunEngine, engine);
  plugin.bind(RunCreation, creation);
  plugin.bind(OwnReruns, reruns);
  plugin.bind(RunViews, (use) => createRunViews(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(StepViews, (use) => createStepViews(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(ProjectState, (use) => createProjectState(use(Database), use(Sealer), use(Audit)));
  plugin.bind(JobEnvironments, (use) =>
    createJobEnvironments(use.all(JobEnvironment), use(RunViews).facts, use(RunMasks)),
  );
  plugin.bind(CredentialRuns, (use) => createCredentialRuns(use(Database)));
  plugin.bind(RunWatching, watching);
  plugin.contribute(JournaledVerbs, (use) => [
    stateVerb(use(Database), use(Sealer)),
    spawnVerb(use(Database), () => use(RunCreation)),
  ]);
  plugin.contribute(RunObservers, (use) => countTransitions(use(Metrics)));
  plugin.contribute(HttpRoutes, runRoutes);
  plugin.onStart(SERVER_ROLES, async (use) => sweeper(use).start());
}

function engine(use: Resolve): RunEngine {
  const database = use(Database);
  const sealer = use(Sealer);
  const logs: RunEngine['logs'] = (run_id, after, limit) => readLogs(database, sealer, run_id, after, limit);
  return createRunEngine({
    kinds: use.all(WorkflowKinds),
    store: use(RunStore),
    ids: use(Ids),
    credential_checks: use.all(CredentialChecks),
    views: { read: use(RunViews).read, logs },
  });
}

function creation(use: Resolve): RunCreation {
  const parts = { kinds: use.all(WorkflowKinds), ids: use(Ids), credential_checks: use.all(CredentialChecks) };
  const store = use(OwnStore);
  return {
    prepare: (run) => prepareRun(parts, run),
    plan: (run) => planRun(parts, run),
    createIn: (tx, runs) => store.createIn(tx, runs),
  };
}

const reruns = (use: Resolve): Reruns =>
  new Reruns({
    database: use(Database),
    sealer: use(Sealer),
    creation: use(RunCreation),
    masks: use(RunMasks),
    audit: use(Audit),
    parts: () => use.all(RerunParts),
  });

function watching(use: Resolve): RunWatch {
  return new RunWatch({
    wakeups: use(Wakeups),
    clock: use(Clock),
    log: use(Log).child({ part: 'run-watch' }),
    versions: use(RunViews).versions,
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
