import type { Route } from '../../../kernel/contracts/index.ts';
import { type Identity, orgRoleOf, projectRoleOf } from '../domain/identity.ts';
import type { Access } from '../service/access.ts';
import { listOrgs } from '../store/orgs.ts';
import { listProjects } from '../store/projects.ts';
import { callerOf, iso, name, object, orgRole, projectRole, time } from './shapes.ts';

const project = object({ project: name, role: projectRole });
const org = object({ org: name, role: orgRole, projects: { type: 'array', items: project } });
const token = object(
  { id: { type: 'string' }, name, kind: { type: 'string', enum: ['user', 'agent'] }, expires_at: time },
  ['expires_at'],
);
const schema = object({ user: object({ id: { type: 'string' }, name }), token, orgs: { type: 'array', items: org } });

export const getWhoami = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/whoami',
  operation: 'getWhoami',
  summary: 'Who the token stands for, and the orgs and projects it reaches with their roles.',
  access: { kind: 'user' },
  responses: { 200: { description: 'The caller.', schema } },
  async handle(request) {
    const identity = await callerOf(access, request);
    const { principal, token: held } = identity;
    const expires = held.expires_at === null ? {} : { expires_at: iso(held.expires_at) };
    const json = {
      user: { id: principal.id, name: principal.name },
      token: { id: principal.token_id, name: held.name, kind: principal.kind, ...expires },
      orgs: await reachable(access, identity),
    };
    return { status: 200, json };
  },
});

async function reachable({ models }: Access, identity: Identity) {
  const held = [...identity.orgs].filter(([org_id]) => orgRoleOf(identity, org_id) !== undefined);
  const org_ids = held.filter(([, { role }]) => role === 'owner').map(([org_id]) => org_id);
  const project_ids = held.flatMap(([, { projects }]) => [...projects.keys()]);
  const [orgs, projects] = await Promise.all([
    listOrgs(
      models,
      held.map(([org_id]) => org_id),
    ),
    listProjects(models, { org_ids, project_ids }),
  ]);
  return orgs.map(({ org_id, name: org }) => ({
    org,
    role: orgRoleOf(identity, org_id),
    projects: projects
      .filter((one) => one.org_id === org_id)
      .map((one) => ({ project: one.name, role: projectRoleOf(identity, org_id, one.project_id) }))
      .filter(({ role }) => role !== undefined),
  }));
}
