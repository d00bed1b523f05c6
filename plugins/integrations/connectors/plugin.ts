import {
  Database,
  definePlugin,
  Expressions,
  HttpRoutes,
  LocalTools,
  provide,
  type Resolve,
  SERVER_ROLES,
} from '../../../kernel/contracts/index.ts';
import { ChangingNodeTypes, FlowNodes, GraphNodeTypes } from '../../engine/flows/contract.ts';
import { ConnectorChecks, ConnectorManifests, ManifestReading } from '../manifests/contract.ts';
import { Audit } from '../../platform/audit/contract.ts';
import { CredentialNames } from '../../secrets/credentials/contract.ts';
import { DirectRequests, NodeRequests } from '../requests/contract.ts';
import { DocumentChecks } from '../../engine/runs/contract.ts';
import { ConnectorActions, ConnectorTriggers } from './contract.ts';
import manifest from './plugin.json' with { type: 'json' };
import { connectorRoutes, credentialTestRoute } from './routes.ts';
import { CredentialTests } from './service/credential-tests.ts';
import { LiveActions } from './service/live-actions.ts';
import { manifestCheck } from './service/manifest-check.ts';
import { flowNode, graphNode } from './service/nodes.ts';
import { checkTool } from './tools/check.ts';
import { importTool } from './tools/import.ts';
import { maskTool, recordTool } from './tools/record.ts';
import { renderTool } from './tools/render.ts';

export default definePlugin(manifest, (plugin) => {
  const live: (use: Resolve) => LiveActions = plugin.own(
    (use) =>
      new LiveActions({
        manifests: use(ConnectorManifests),
        expressions: use(Expressions),
        requests: () => use(NodeRequests),
        fixedTypes: () => new Set([...use.all(FlowNodes), ...use.all(GraphNodeTypes)].map(({ type }) => type)),
      }),
  );
  /** The actions that cannot change, of connectors of svc and of plugins. */
  const fixed = (use: Resolve) => {
    const names = new Set(
      use(ConnectorManifests)
        .connectors()
        .filter(({ watched }) => !watched)
        .map((one) => one.manifest.name),
    );
    return live(use)
      .all()
      .filter(({ connector }) => names.has(connector.name));
  };
  plugin.bind(ConnectorActions, live);
  plugin.bind(ConnectorTriggers, (use) => ({ find: (...names) => live(use).findTrigger(...names) }));
  plugin.contribute(FlowNodes, (use) => fixed(use).map((action) => flowNode(action, () => use(NodeRequests))));
  plugin.contribute(GraphNodeTypes, (use) => fixed(use).map(graphNode));
  plugin.contribute(ChangingNodeTypes, live);
  plugin.contribute(ConnectorChecks, (use) => live(use).check);
  plugin.contribute(HttpRoutes, (use) => connectorRoutes(use(ConnectorManifests), () => use(ConnectorActions)));
  const tests = provide(CredentialTests, {
    database: Database,
    audit: Audit,
    names: CredentialNames,
    requests: DirectRequests,
    manifests: ConnectorManifests,
    findTest: (use) => (connector) => live(use).findTest(connector),
  });
  plugin.contribute(HttpRoutes, (use) => [credentialTestRoute(tests(use))]);
  plugin.contribute(DocumentChecks, (use) => manifestCheck(use(Expressions), use(ManifestReading)));
  plugin.contribute(LocalTools, () => [checkTool, importTool, maskTool, recordTool, renderTool]);
  // A faulty template, or an action whose type another plugin has, stops the start and not the first run that needs it.
  plugin.onInit(SERVER_ROLES, async (use) => {
    use.all(GraphNodeTypes);
    live(use).assertValid();
  });
});
