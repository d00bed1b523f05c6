import type { Route } from '../../../kernel/contracts/index.ts';
import type { Access } from '../service/access.ts';
import { findProjectById } from '../store/projects.ts';
import { projectSchema, projectView } from './get-projects.ts';
import { callerOf } from './shapes.ts';

export const getProject = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/projects/:project',
  operation: 'getProject',
  summary: 'One project and the caller’s role in it.',
  access: { kind: 'project', role: 'viewer' },
  responses: { 200: { description: 'The project.', schema: projectSchema } },
  async handle(request) {
    const { org_id, org, project_id } = request.scope;
    const identity = await callerOf(access, request);
    const row = await findProjectById(access.database, org_id, project_id);
    return { status: 200, json: projectView(identity, org, row!) };
  },
});
