import {
  childLog,
  Clock,
  Database,
  deferred,
  definePlugin,
  Expressions,
  Ids,
  Log,
  provide,
  type Resolve,
  Sealer,
  SERVER_ROLES,
  token,
} from '../../../kernel/contracts/index.ts';
import { Activities, CoordinatedRuns, NodeSpans, RunCoordinators, RunTables } from '../runs/contract.ts';
import { ChangingNodeTypes, FlowLanguages, FlowNodes, Flows, RunValues } from './contract.ts';
import { flowTables } from './migrations/0001-flows.ts';
import { outputsLast } from './migrations/0002-order.ts';
import { finishedFlows } from './migrations/0003-finished.ts';
import { resumeOrder } from './migrations/0004-resume-order.ts';
import { builtinNodes } from './nodes/builtin.ts';
import manifest from './plugin.json' with { type: 'json' };
import { type CoordinatorDeps, FlowCoordinator } from './service/coordinator.ts';
import { createFlows, FlowViews } from './service/flow-views.ts';
import { flowNodeTypes } from './service/node-types.ts';
import { Resumer } from './service/resumer.ts';

const OwnCoordinator = token<FlowCoordinator>('flows.FlowCoordinator');
const OwnResumer = token<Resumer>('flows.Resumer');

const makeViews = provide(FlowViews, {
  database: Database,
  sealer: Sealer,
  activities: deferred(Activities),
});

const makeCoordinator = (use: Resolve): FlowCoordinator => {
  let parts: CoordinatorDeps | undefined;
  const make = (): CoordinatorDeps => ({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    expressions: use(Expressions),
    log: use(Log).child({ part: 'flows' }),
    types: flowNodeTypes(use.all(FlowNodes), use.all(ChangingNodeTypes)),
    languages: new Map(use.all(FlowLanguages).map((one) => [one.name, one])),
    values: use.all(RunValues),
    activities: () => use(Activities),
    views: makeViews(use),
    spans: use(NodeSpans).over,
    wakeResumer: () => use(OwnResumer).wake(),
  });
  return new FlowCoordinator(() => (parts ??= make()));
};

const makeResumer = provide(Resumer, {
  database: Database,
  runs: CoordinatedRuns,
  coordinator: OwnCoordinator,
  clock: Clock,
  log: childLog('flows'),
});

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([flowTables, outputsLast, finishedFlows, resumeOrder]);
  plugin.bind(OwnCoordinator, makeCoordinator);
  plugin.bind(OwnResumer, makeResumer);
  plugin.bind(Flows, (use) => createFlows(makeViews(use)));
  plugin.contribute(FlowNodes, () => builtinNodes);
  plugin.contribute(RunCoordinators, (use) => use(OwnCoordinator));
  plugin.contribute(RunTables, () => [
    ...['flows_flows', 'flows_lists', 'flows_nodes', 'flows_activities'].map((table) => ({ table, column: 'run_id' })),
    { table: 'flows_finished', column: 'run_id', clustered_key: 'run_id' },
  ]);
  plugin.onStart(SERVER_ROLES, async (use) => use(OwnResumer).start());
});
