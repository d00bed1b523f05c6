import {
  definePlugin,
  Expressions,
  HttpRoutes,
  LocalTools,
  type Resolve,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { FlowNodes } from '../../engine/flows/contract.ts';
import { GraphNodeTypes } from '../../engine/flows/contract.ts';
import {
  ConnectorManifests,
  Connectors,
  formatProblem,
  ManifestErrors,
  ManifestReading,
} from '../manifests/contract.ts';
import { NodeRequests } from '../requests/contract.ts';
import { DocumentChecks } from '../../engine/runs/contract.ts';
import { ConnectorActions } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { connectorRoutes } from './routes.ts';
import { actionList, compileConnector, builtinActions } from './service/compile-connectors.ts';
import { manifestCheck } from './service/manifest-check.ts';
import { flowNode, graphNode } from './service/nodes.ts';
import { checkTool } from './tools/check.ts';
import { importTool } from './tools/import.ts';
import { recordTool } from './tools/record.ts';
import { renderTool } from './tools/render.ts';

/** Throws `connector_invalid` with every fault of every connector that does not come with svc. */
function makeActions(use: Resolve): ConnectorActions {
  const connectors = use.all(Connectors);
  const own = connectors.filter(({ builtin }) => builtin).flatMap((one) => builtinActions(one, use(Expressions)));
  const compiled = connectors
    .filter(({ builtin }) => !builtin)
    .map((one) => ({ ...compileConnector(one, use(Expressions)), origin: one.origin }));
  const faults = compiled.flatMap(({ problems, origin }) =>
    problems.map((fault) => `${origin}: ${formatProblem(fault)}`),
  );
  if (faults.length > 0) throw ManifestErrors.connectorInvalid(faults.join('\n'));
  return actionList([...own, ...compiled.flatMap(({ actions }) => actions)]);
}

export default definePlugin(manifest, (plugin) => {
  plugin.bind(ConnectorActions, makeActions);
  plugin.contribute(FlowNodes, (use) =>
    use(ConnectorActions)
      .all()
      .map((action) => flowNode(action, () => use(NodeRequests))),
  );
  plugin.contribute(GraphNodeTypes, (use) => use(ConnectorActions).all().map(graphNode));
  plugin.contribute(HttpRoutes, (use) => connectorRoutes(use(ConnectorManifests), () => use(ConnectorActions)));
  plugin.contribute(DocumentChecks, (use) => manifestCheck(use(Expressions), use(ManifestReading)));
  plugin.contribute(LocalTools, () => [checkTool, importTool, recordTool, renderTool]);
  // A faulty template, or an action whose type another plugin has, stops the start and not the first run that needs it.
  plugin.onInit(SERVER_ROLES, async (use) => void use.all(GraphNodeTypes));
});
