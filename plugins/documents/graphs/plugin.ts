import {
  AccessControl,
  Database,
  deferred,
  definePlugin,
  Expressions,
  HttpRoutes,
  Ids,
  provide,
  type Resolve,
  Sealer,
  token,
} from '../../../kernel/contracts/index.ts';
import { DeclaredTypes } from '../../events/bus/contract.ts';
import { Credentials, CredentialStates, CredentialUsers } from '../../secrets/credentials/contract.ts';
import { Variables } from '../../secrets/variables/contract.ts';
import { DocumentWorkers } from '../../platform/expressions/contract.ts';
import { ChangingNodeTypes, FlowLanguages, FlowNodes, Flows } from '../../engine/flows/contract.ts';
import { WorkflowHolders } from '../../events/workflows/contract.ts';
import { HandlerOwnership } from '../../events/handlers/contract.ts';
import { HookMinting } from '../../integrations/hooks/contract.ts';
import { ConnectorManifests } from '../../integrations/manifests/contract.ts';
import { AuditedWrites } from '../../platform/resources/contract.ts';
import { ScriptOutlines } from '../../execution/scripts/contract.ts';
import { WorkflowKinds } from '../../engine/runs/contract.ts';
import { ScheduleOwnership } from '../../events/schedules/contract.ts';
import { Attention } from '../../platform/resources/contract.ts';
import { GraphNodeTypes } from './contract.ts';
import { NodeTypeCatalog } from './domain/node-type-catalog.ts';
import { graphLanguage } from './domain/language.ts';
import { graphTables } from './migrations/0001-graphs.ts';
import { documentsLast } from './migrations/0002-order.ts';
import { dataNodes } from './nodes/data.ts';
import { each, eachFlowNode } from './nodes/each.ts';
import { fanOut } from './nodes/fan-out.ts';
import { programFlowNode, programNodes } from './nodes/programs.ts';
import { triggerFlowNode, triggerNodes } from './nodes/triggers.ts';
import { leaseFlowNode } from './nodes/lease.ts';
import { waitFlowNodes, waitNodes } from './nodes/waits.ts';
import { workflow, workflowFlowNode } from './nodes/workflow.ts';
import manifest from './plugin.json' with { type: 'json' };
import { graphRoutes } from './routes.ts';
import { graphsAttention } from './service/attention.ts';
import { Graphs, OwnGraphs } from './service/graphs.ts';
import { graphHolder } from './service/graph-holder.ts';
import { graphKind, nodeKind } from './service/kinds.ts';
import { emittedTypes, graphUser } from './service/named-in-graphs.ts';
import { Planner, type PlannerDeps } from './service/planner.ts';
import { Publishing } from './service/publishing.ts';
import { Requirements } from './service/requirements.ts';

const OwnPlanner = token<Planner>('graphs.Planner');
const OwnPublishing = token<Publishing>('graphs.Publishing');

/** Its parts are resolved at the first check: types of nodes may need the engine, which is made of its kinds. */
const makePlanner = (use: Resolve): Planner => {
  let parts: PlannerDeps | undefined;
  const make = (): PlannerDeps => ({
    types: new NodeTypeCatalog(use.all(GraphNodeTypes), use.all(ChangingNodeTypes)),
    expressions: use(Expressions),
    workers: use(DocumentWorkers),
    flows: use(Flows),
    states: use(CredentialStates),
    variables: use(Variables),
  });
  return new Planner(() => (parts ??= make()));
};

const makePublishing = provide(Publishing, {
  access: AccessControl,
  database: Database,
  sealer: Sealer,
  writes: AuditedWrites,
  graphs: deferred(OwnGraphs),
  planner: OwnPlanner,
  credentials: Credentials,
  manifests: ConnectorManifests,
  hooks: HookMinting,
  handlers: HandlerOwnership,
  schedules: ScheduleOwnership,
});

const makeGraphs = provide(Graphs, {
  database: Database,
  sealer: Sealer,
  ids: Ids,
  writes: AuditedWrites,
  planner: OwnPlanner,
  publishing: deferred(OwnPublishing),
});

const makeRequirements = provide(Requirements, { database: Database, graphs: OwnGraphs, planner: OwnPlanner });

const routes = provide(graphRoutes, {
  graphs: OwnGraphs,
  publishing: OwnPublishing,
  requirements: makeRequirements,
  types: (use) => {
    const catalog = new NodeTypeCatalog(use.all(GraphNodeTypes), use.all(ChangingNodeTypes));
    return () => catalog.list();
  },
  expressions: deferred(Expressions),
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
    each,
    workflow,
    ...triggerNodes({ manifests: () => use(ConnectorManifests), schedules: () => use(ScheduleOwnership) }),
  ]);
  plugin.contribute(FlowNodes, (use) => [
    ...waitFlowNodes(deferred(Expressions)(use)),
    programFlowNode,
    triggerFlowNode,
    workflowFlowNode,
    eachFlowNode,
    leaseFlowNode,
  ]);
  plugin.contribute(FlowLanguages, () => graphLanguage);
  plugin.contribute(WorkflowKinds, (use) => {
    const parts = {
      ...{ planner: () => use(OwnPlanner), flows: () => use(Flows) },
      ...{ database: () => use(Database), sealer: () => use(Sealer), outlines: () => use(ScriptOutlines) },
    };
    return [graphKind(parts), nodeKind(parts)];
  });
  plugin.contribute(WorkflowHolders, (use) => graphHolder(use(Database), use(Sealer)));
  plugin.contribute(CredentialUsers, (use) => graphUser(use(Database)));
  plugin.contribute(DeclaredTypes, (use) => emittedTypes(use(Database)));
  plugin.contribute(Attention, provide(graphsAttention, { database: Database, requirements: makeRequirements }));
  plugin.contribute(HttpRoutes, routes);
});
