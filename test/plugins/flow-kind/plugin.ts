import { FlowLanguages, FlowNodes, Flows } from 'svc/flows';
import { definePlugin, HttpRoutes } from 'svc/plugin';
import { WorkflowKinds } from 'svc/runs';
import { flowKind } from './kind.ts';
import { language } from './language.ts';
import { nodeTypes } from './nodes.ts';
import manifest from './plugin.json' with { type: 'json' };
import { nodesRoute } from './route.ts';

/** Shows what a kind of workflow needs to be carried out as a flow. */
export default definePlugin(manifest, (plugin) => {
  plugin.contribute(WorkflowKinds, (use) => flowKind(() => use(Flows)));
  plugin.contribute(FlowLanguages, () => language);
  plugin.contribute(FlowNodes, () => nodeTypes);
  plugin.contribute(HttpRoutes, (use) => nodesRoute(use(Flows)));
});
