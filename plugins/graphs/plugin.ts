import {
  AccessControl,
  Database,
  definePlugin,
  Expressions,
  HttpRoutes,
  Ids,
  type Resolve,
  Sealer,
  token,
} from '../../kernel/contracts/index.ts';
import { DeclaredTypes } from '../bus/contract.ts';
import { Credentials, CredentialStates, CredentialUsers } from '../credentials/contract.ts';
import { DocumentWorkers } from '../expressions/contract.ts';
import { FlowLanguages, FlowNodes, Flows } from '../flows/contract.ts';
import { HandlerOwnership } from '../handlers/contract.ts';
import { HookMinting } from '../hooks/contract.ts';
import { ConnectorManifests } from '../manifests/contract.ts';
import { AuditedWrites } from '../resources/contract.ts';
import { WorkflowKinds } from '../runs/contract.ts';
import { ScheduleOwnership } from '../schedules/contract.ts';
import { Attention } from '../summary/contract.ts';
import { GraphNodeTypes } from './contract.ts';
import { KnownTypes } from './domain/known-types.ts';
import { graphLanguage } from './domain/language.ts';
import { graphTables } from './migrations/0001-graphs.ts';
import { documentsLast } from './migrations/0002-order.ts';
import { dataNodes } from './nodes/data.ts';
import { fanOut } from './nodes/fan-out.ts';
import { programFlowNode, programNodes } from './nodes/programs.ts';
import { triggerFlowNode, triggerNodes } from './nodes/triggers.ts';
import { waitFlowNodes, waitNodes } from './nodes/waits.ts';
import { workflow, workflowFlowNode } from './nodes/workflow.ts';
import manifest from './plugin.json' with { type: 'json' };
import { graphRoutes } from './routes.ts';
import { graphsAttention } from './service/attention.ts';
import { Graphs, OwnGraphs } from './service/graphs.ts';
import { graphKind, nodeKind } from './service/kinds.ts';
import { emittedTypes, graphUser } from './service/named-in-graphs.ts';
import { Planner, type PlannerParts } from './service/planner.ts';
import { Publishing } from './service/publishing.ts';
import { Requirements } from './service/requirements.ts';

const OwnPlanner = token<Planner>('graphs.Planner');
const OwnPublishing = token<Publishing>('graphs.Publishing');

/** Its parts are resolved at the first check: types of nodes may need the engine, which is made of its kinds. */
const makePlanner = (use: Resolve): Planner => {
  let parts: PlannerParts | undefined;
  const make = (): PlannerParts => ({
    types: new KnownTypes(use.all(GraphNodeTypes)),
    expressions: use(Expressions),
    workers: use(DocumentWorkers),
    flows: use(Flows),
    states: use(CredentialStates),
  });
  return new Planner(() => (parts ??= make()));
};

const makePublishing = (use: Resolve): Publishing =>
  new Publishing({
    access: use(AccessControl),
    database: use(Database),
    sealer: use(Sealer),
    writes: use(AuditedWrites),
    graphs: () => use(OwnGraphs),
    planner: use(OwnPlanner),
    credentials: use(Credentials),
    manifests: use(ConnectorManifests),
    hooks: use(HookMinting),
    handlers: use(HandlerOwnership),
    schedules: use(ScheduleOwnership),
  });

const makeGraphs = (use: Resolve): Graphs =>
  new Graphs({
    database: use(Database),
    sealer: use(Sealer),
    ids: use(Ids),
    writes: use(AuditedWrites),
    planner: use(OwnPlanner),
    publishing: () => use(OwnPublishing),
  });

const makeRequirements = (use: Resolve) =>
  new Requirements({ database: use(Database), graphs: use(OwnGraphs), planner: use(OwnPlanner) });

const routes = (use: Resolve) =>
  graphRoutes({
    graphs: use(OwnGraphs),
    publishing: use(OwnPublishing),
    requirements: makeRequirements(use),
    types: () => use.all(GraphNodeTypes),
    expressions: () => use(Expressions),
  });

export default definePlugin(manifest, (plugin) => {
  plugin.migrations([graphTables, documentsLast]);
  plugin.bind(OwnPlanner, makePlanner);
  plugin.bind(OwnPublishing, makePublishing);
  plugin.bind(OwnGraphs, makeGraphs);
  plugin.contribute(GraphNodeTypes, (use) => [
    ...dataNodes,
    ...waitNodes,
    ...programNodes,
    fanOut,
    workflow,
    ...triggerNodes({ manifests: () => use(ConnectorManifests), schedules: () => use(ScheduleOwnership) }),
  ]);
  plugin.contribute(FlowNodes, () => [...waitFlowNodes, programFlowNode, triggerFlowNode, workflowFlowNode]);
  plugin.contribute(FlowLanguages, () => graphLanguage);
  plugin.contribute(WorkflowKinds, (use) => {
    const parts = { planner: () => use(OwnPlanner), flows: () => use(Flows), sealer: () => use(Sealer) };
    return [graphKind(parts), nodeKind(parts)];
  });
  plugin.contribute(CredentialUsers, (use) => graphUser(use(Database)));
  plugin.contribute(DeclaredTypes, (use) => emittedTypes(use(Database)));
  plugin.contribute(Attention, (use) =>
    graphsAttention({ database: use(Database), requirements: makeRequirements(use) }),
  );
  plugin.contribute(HttpRoutes, routes);
});
