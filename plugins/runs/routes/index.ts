import { Clock, HttpAddress, type Resolve, type Route } from '../../../kernel/contracts/index.ts';
import { RunEngine, RunStore } from '../contract.ts';
import { OwnReruns } from '../rerun/rerun.ts';
import type { LogParts } from '../service/follow.ts';
import { ProjectState } from '../service/project-state.ts';
import { RunViews } from '../service/run-views.ts';
import { RunWatching } from '../service/run-watch.ts';
import { StepViews } from '../service/step-views.ts';
import { cancelRunRoute } from './cancel-run.ts';
import { checkWorkflowRoute } from './check-workflow.ts';
import { deleteStateRoute } from './delete-state.ts';
import { getRunRoute } from './get-run.ts';
import { getStateRoute } from './get-state.ts';
import { listRunsRoute } from './list-runs.ts';
import { listStateRoute } from './list-state.ts';
import { listStepsRoute } from './list-steps.ts';
import { putStateRoute } from './put-state.ts';
import { readLogsRoute } from './read-logs.ts';
import { rerunRunRoute } from './rerun-run.ts';
import { sendSignalRoute } from './send-signal.ts';
import { submitRunRoute } from './submit-run.ts';

/** The HTTP face of the engine: every route under `{scoped}/runs`, `{scoped}/check` and `{scoped}/state`. */
export function runRoutes(use: Resolve): readonly Route[] {
  const engine = use(RunEngine);
  const store = use(RunStore);
  const address = use(HttpAddress);
  const views = use(RunViews);
  const state = use(ProjectState);
  const logs: LogParts = {
    watch: use(RunWatching),
    clock: use(Clock),
    logs: (run_id, after, limit) => engine.logs(run_id, after, limit),
    status: (run_id) => views.status(run_id),
  };
  return [
    submitRunRoute(engine, address),
    listRunsRoute(views, use(Clock), address),
    getRunRoute(engine, address),
    cancelRunRoute(store, address),
    rerunRunRoute(use(OwnReruns), address),
    sendSignalRoute(store),
    listStepsRoute(use(StepViews)),
    readLogsRoute(engine, logs),
    checkWorkflowRoute(engine),
    listStateRoute(state),
    getStateRoute(state),
    putStateRoute(state),
    deleteStateRoute(state),
  ];
}
