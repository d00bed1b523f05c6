import type { Database, Route } from 'svc/plugin';
import { greetingsOf } from './store.ts';

/** Says hello to a project's members, and how often its runs have greeted them. */
export const greetRoute = (database: Database): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/projects/:project/greetings/:name',
  operation: 'greet',
  summary: 'Greets somebody',
  access: { kind: 'project', role: 'viewer' },
  responses: {
    200: {
      description: 'The greeting',
      schema: {
        type: 'object',
        additionalProperties: false,
        required: ['greeting', 'greeted'],
        properties: { greeting: { type: 'string' }, greeted: { type: 'integer' } },
      },
    },
  },
  handle: async ({ params, scope }) => ({
    status: 200,
    json: {
      greeting: `Hello ${params.name}, this is ${scope.project}`,
      greeted: await greetingsOf(database, scope.project_id, params.name!),
    },
  }),
});
