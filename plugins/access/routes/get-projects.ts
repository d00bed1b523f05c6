import { type Route, pageOf, pageQuery, readPage } from '../../../kernel/contracts/index.ts';
import { type Identity, projectRoleOf } from '../domain/identity.ts';
import type { Access } from '../service/access.ts';
import type { ProjectRow } from '../store/models.ts';
import { listProjects, type ProjectFilter } from '../store/projects.ts';
import { callerOf, iso, listOf, name, object, projectRole, time } from './shapes.ts';

export const projectSchema = object({ project: name, org: name, role: projectRole, created_at: time });

export const projectView = (identity: Identity, org: string, row: ProjectRow) => ({
  project: row.name,
  org,
  role: projectRoleOf(identity, row.org_id, row.project_id),
  created_at: iso(row.created_at),
});

export const getProjects = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/orgs/:org/projects',
  operation: 'listProjects',
  summary: 'The projects of the org that the caller reaches, newest first.',
  access: { kind: 'org', role: 'member' },
  query: pageQuery,
  responses: { 200: { description: 'Projects.', schema: listOf('projects', projectSchema) } },
  async handle(request) {
    const { org_id, org } = request.scope;
    const identity = await callerOf(access, request);
    const page = readPage(request.query);
    const rows = await listProjects(access.models, filterFor(identity, org_id), page);
    const view = (row: ProjectRow) => projectView(identity, org, row);
    const { items, ...rest } = pageOf(rows, page.limit, (row) => row.project_id);
    return { status: 200, json: { projects: items.map(view), ...rest } };
  },
});

/** Exactly the projects for which `projectRoleOf` gives a role. */
function filterFor(identity: Identity, org_id: string): ProjectFilter {
  const membership = identity.orgs.get(org_id);
  const limit = identity.token.limits.project_id;
  const owner = membership?.role === 'owner';
  if (owner && limit === null) return { org_ids: [org_id], project_ids: [] };
  const held = owner ? [limit!] : [...(membership?.projects.keys() ?? [])];
  return { org_ids: [], project_ids: held.filter((project_id) => projectRoleOf(identity, org_id, project_id)) };
}
