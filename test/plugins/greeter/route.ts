import type { Route } from 'svc/plugin';

/** Says hello to a project's members. */
export const greetRoute: Route = {
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
        required: ['greeting'],
        properties: { greeting: { type: 'string' } },
      },
    },
  },
  handle: async ({ params, scope }) => ({
    status: 200,
    json: { greeting: `Hello ${params.name}, this is ${scope.project}` },
  }),
};
