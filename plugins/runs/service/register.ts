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
  RunEngine,
  RunObservers,
  RunStore,
  Wakeups,
  WorkflowKinds,
} from '../contract.ts';
import { runRoutes } from '../routes/index.ts';
import { readLogs } from '../store/reading.ts';
import { Sweeper } from '../sweeper/sweeper.ts';
import { stateVerb } from '../verbs/state.ts';
import { createRunEngine } from './engine.ts';
import { createCredentialRuns } from './credential-runs.ts';
import { createJobEnvironments } from './environments.ts';
import { createProjectState, ProjectState } from './project-state.ts';
import { createRunViews, RunViews } from './run-views.ts';
import { RunWatch, RunWatching } from './run-watch.ts';
import { countTransitions } from './store-metrics.ts';
import { createStepViews, StepViews } from './step-views.ts';
import { createWakeups } from './wakeups.ts';

/** Everything of the engine that lies above its store: the service, the routes, the sweeper and the state verb. */
export function registerService(plugin: PluginSetup): void {
  plugin.bind(Wakeups, (use) => createWakeups(use(Log)));
  plugin.bind(RunEngine, engine);
  plugin.bind(RunViews, (use) => createRunViews(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(StepViews, (use) => createStepViews(use(Database), use(Sealer), use(RunMasks)));
  plugin.bind(ProjectState, (use) => createProjectState(use(Database), use(Sealer), use(Audit)));
  plugin.bind(JobEnvironments, (use) =>
    createJobEnvironments(use.all(JobEnvironment), use(RunViews).facts, use(RunMasks)),
  );
  plugin.bind(CredentialRuns, (use) => createCredentialRuns(use(Database)));
  plugin.bind(RunWatching, watching);
  plugin.contribute(JournaledVerbs, (use) => stateVerb(use(Database), use(Sealer)));
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
