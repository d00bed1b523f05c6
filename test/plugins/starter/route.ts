import type { Database, Route } from 'svc/plugin';
import { countOf } from './store.ts';

/** `GET …/starter/<name>`: how many of it the runs of a project have counted. */
export const showRoute = (database: Database): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/projects/:project/starter/:name',
  operation: 'starterShow',
  summary: 'Shows a count',
  access: { kind: 'project', role: 'viewer' },
  responses: {
    200: {
      description: 'The count',
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'counted'],
        properties: { name: { type: 'string' }, counted: { type: 'integer' } },
      },
    },
  },
  handle: async ({ params, scope }) => ({
    status: 200,
    json: { name: params.name, counted: await countOf(database, scope.project_id, params.name!) },
  }),
});
