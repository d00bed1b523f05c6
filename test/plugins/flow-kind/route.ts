import type { Flows } from 'svc/flows';
import type { Route } from 'svc/plugin';

/** What has come of the nodes of a run. */
export const nodesRoute = (flows: Flows): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/projects/:project/flows/:run',
  operation: 'listFlowNodes',
  summary: 'Lists the nodes of a flow',
  access: { kind: 'project', role: 'viewer' },
  responses: { 200: { description: 'The nodes.', schema: { type: 'object' } } },
  async handle({ params, scope }) {
    const nodes = await flows.nodes(scope!, params.run!, { after: -1, limit: 1000 });
    return { status: 200, json: { nodes } };
  },
});
