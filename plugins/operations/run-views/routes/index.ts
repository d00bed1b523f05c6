import {
  Clock,
  Database,
  HttpAddress,
  type HttpRequest,
  type Resolve,
  type Route,
} from '../../../../kernel/contracts/index.ts';
import {
  RunCoordinators,
  RunEngine,
  RunReader,
  RunWatcher,
  runUrl,
  WorkflowKinds,
} from '../../../engine/runs/contract.ts';
import { Operations } from '../../../platform/http/contract.ts';
import { RecordedVariables } from '../../../secrets/variables/contract.ts';
import { RunMasks } from '../../../security/masking/contract.ts';
import { SavedFilters } from '../contract.ts';
import { Histories } from '../service/histories.ts';
import { NodeViews } from '../service/node-views.ts';
import { RunDocuments } from '../service/run-documents.ts';
import type { RunLists } from '../service/run-lists.ts';
import { SignalViews } from '../service/signal-views.ts';
import { StepViews } from '../service/step-views.ts';
import { documentRoutes } from './document-routes.ts';
import { explanationRoute } from './explanation-route.ts';
import { exportRunsRoute } from './export-runs-route.ts';
import { historyRoute } from './history-route.ts';
import { listRunsRoute } from './list-runs-route.ts';
import { logsRoute } from './logs-route.ts';
import { withSavedFilter } from './saved-filter.ts';
import { listSignalsRoute } from './list-signals-route.ts';
import { stepsRoute } from './steps-route.ts';

/** The routes that show runs. Plugin runs has those of a single record, and those that change runs. */
export function runViewRoutes(use: Resolve, lists: RunLists): Route[] {
  const [reader, masks, clock, address] = [use(RunReader), use(RunMasks), use(Clock), use(HttpAddress)];
  const nodes = new NodeViews(reader, masks, () => use.all(RunCoordinators));
  const queryOf = withSavedFilter(() => use.all(SavedFilters));
  const [database, recorded] = [use(Database), use(RecordedVariables)];
  const varsOf = (run: Parameters<typeof recorded.of>[1]) => recorded.of(database, run);
  const urlOf = ({ scope }: HttpRequest, run_id: string) => runUrl(address.public_url(), scope, run_id);
  return [
    listRunsRoute(lists, clock, queryOf, urlOf),
    exportRunsRoute(lists, clock, queryOf, urlOf),
    stepsRoute(new StepViews(reader, masks), nodes),
    logsRoute({ reader, nodes, clock, watcher: use(RunWatcher), logs: use(RunEngine).logs }),
    listSignalsRoute(new SignalViews(reader, masks)),
    ...documentRoutes(new RunDocuments(reader, masks)),
    explanationRoute(
      () => use(Operations),
      () => clock.now(),
    ),
    historyRoute(new Histories(reader, masks, () => use.all(WorkflowKinds), varsOf)),
  ];
}
