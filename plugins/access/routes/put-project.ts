import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import { checkName } from '../domain/names.ts';
import type { Access } from '../service/access.ts';
import { projectSchema, projectView } from './get-projects.ts';
import { callerOf, emptyBody } from './shapes.ts';

export const putProject = (access: Access): Route => ({
  method: 'PUT',
  path: '/api/v1/orgs/:org/projects/:project',
  operation: 'putProject',
  summary: 'Creates a project.',
  access: { kind: 'org', role: 'owner' },
  body: emptyBody,
  responses: {
    200: { description: 'It was there already; nothing changed.', schema: projectSchema },
    201: { description: 'Created.', schema: projectSchema },
  },
  async handle(request) {
    const { org_id, org } = request.scope;
    const name = checkName(request.params.project!, 'project');
    const identity = await callerOf(access, request);
    const project = await access.directory.putProject(org_id, name, auditSource(request));
    return { status: project.made ? 201 : 200, json: projectView(identity, org, project) };
  },
});
