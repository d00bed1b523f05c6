import {
  callerOf,
  Errors,
  type HttpRequest,
  iso,
  listRoute,
  pageOf,
  type Principal,
  readPage,
  type Route,
  SCOPED,
  USER,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { type Identity, orgRoleOf, projectRoleOf } from './domain/identity.ts';
import { checkName } from './domain/names.ts';
import { isUnlimited } from './domain/roles.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { memberRoutes } from './member-routes.ts';
import orgSchema from './schema/org.schema.json' with { type: 'json' };
import projectSchema from './schema/project.schema.json' with { type: 'json' };
import whoamiSchema from './schema/whoami.schema.json' with { type: 'json' };
import type { Access } from './service/access.ts';
import type { OrgRow, ProjectRow } from './store/models.ts';
import { findOrgById, isWithoutOrgs, listOrgs } from './store/orgs.ts';
import { findProjectById, listProjects, type ProjectFilter } from './store/projects.ts';
import { tokenRoutes } from './token-routes.ts';

const ORG = '/api/v1/orgs/:org';
/** A body without members: `{}`. */
const EMPTY_BODY = { type: 'object', additionalProperties: false, properties: {} };

export const accessRoutes = (access: Access): Route[] => [
  whoamiRoute(access),
  ...orgRoutes(access),
  ...projectRoutes(access),
  ...tokenRoutes(access),
  ...memberRoutes(access),
  ...invitationRoutes(access),
];

const whoamiRoute = (access: Access): Route => ({
  method: 'GET',
  path: '/api/v1/whoami',
  operation: 'getWhoami',
  summary: "The token's user, and the orgs and projects that the token can access, with their roles.",
  access: USER,
  responses: { 200: { description: 'The caller.', schema: whoamiSchema } },
  async handle(request) {
    const identity = await access.identities.get(callerOf(request));
    const { principal, token } = identity;
    const expires_at = token.expires_at === null ? undefined : iso(token.expires_at);
    const json = {
      user: { id: principal.id, name: principal.name },
      token: { id: principal.token_id, name: token.name, kind: principal.kind, expires_at },
      orgs: await visibleOrgs(access, identity),
    };
    return { status: 200, json };
  },
});

async function visibleOrgs({ models }: Access, identity: Identity) {
  const visible = [...identity.orgs].filter(([org_id]) => orgRoleOf(identity, org_id) !== undefined);
  const visible_ids = visible.map(([org_id]) => org_id);
  const org_ids = visible.filter(([, { role }]) => role === 'owner').map(([org_id]) => org_id);
  const project_ids = visible.flatMap(([, { projects }]) => [...projects.keys()]);
  const [orgs, projects] = await Promise.all([
    listOrgs(models, visible_ids),
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

const orgView = (identity: Identity, { org_id, name, created_at }: OrgRow) => ({
  org: name,
  role: orgRoleOf(identity, org_id),
  created_at: iso(created_at),
});

const orgRoutes = (access: Access): Route[] => [
  listRoute({
    path: '/api/v1/orgs',
    operation: 'listOrgs',
    summary: 'The orgs that the caller is a member of, newest first.',
    access: USER,
    plural: 'orgs',
    item: orgSchema,
    description: 'Orgs.',
    async list(request) {
      const identity = await access.identities.get(callerOf(request));
      const page = readPage(request.query);
      const org_ids = [...identity.orgs.keys()].filter((org_id) => orgRoleOf(identity, org_id));
      const { items, ...rest } = pageOf(await listOrgs(access.models, org_ids, page), page.limit, (row) => row.org_id);
      return { items: items.map((row) => orgView(identity, row)), ...rest };
    },
  }),
  {
    method: 'GET',
    path: ORG,
    operation: 'getOrg',
    summary: "One org and the caller's role in it.",
    access: { kind: 'org', role: 'member' },
    responses: { 200: { description: 'The org.', schema: orgSchema } },
    async handle(request) {
      const identity = await access.identities.get(callerOf(request));
      const row = await findOrgById(access.database, request.scope.org_id);
      return { status: 200, json: orgView(identity, row!) };
    },
  },
  {
    method: 'PUT',
    path: ORG,
    operation: 'putOrg',
    summary: 'Creates an org; the caller becomes its owner. Only owners of an org can create another one.',
    access: USER,
    body: EMPTY_BODY,
    responses: {
      200: { description: 'The caller is already a member; nothing changed.', schema: orgSchema },
      201: { description: 'Created.', schema: orgSchema },
    },
    handle: (request) => putOrg(access, request),
  },
];

async function putOrg(access: Access, request: HttpRequest) {
  const name = checkName(request.params.org!, 'org');
  const identity = await access.identities.get(callerOf(request));
  const { principal } = identity;
  const org_found = await access.scopes.findOrg(name);
  const role = org_found && orgRoleOf(identity, org_found.org_id);
  if (!role) await requireCreator(access, identity);
  const user = { user_id: principal.id, name: principal.name };
  const org = await access.directory.putOrg(name, user, auditSource(request));
  if (!org.made && !role && !(await isMember(access, principal, org.org_id)))
    throw Errors.nameConflict(`the org name "${name}" is already in use`);
  const json = { org: name, role: role ?? 'owner', created_at: iso(org.created_at) };
  return { status: org.made ? 201 : 200, json };
}

async function requireCreator({ models }: Access, identity: Identity): Promise<void> {
  if (!isUnlimited(identity.token.limits))
    throw Errors.forbidden('a limited token cannot create an org; use a token without limits');
  if ([...identity.orgs.values()].some(({ role }) => role === 'owner') || (await isWithoutOrgs(models))) return;
  throw Errors.forbidden('this requires the owner role in an org');
}

/** The second of two identical concurrent requests finds the org of the first. */
const isMember = async ({ identities }: Access, principal: Principal, org_id: string): Promise<boolean> =>
  orgRoleOf(await identities.current(principal), org_id) !== undefined;

const projectView = (identity: Identity, org: string, row: ProjectRow) => ({
  project: row.name,
  org,
  role: projectRoleOf(identity, row.org_id, row.project_id),
  created_at: iso(row.created_at),
});

const projectRoutes = (access: Access): Route[] => [
  listRoute({
    path: `${ORG}/projects`,
    operation: 'listProjects',
    summary: 'The projects of the org that the caller can access, newest first.',
    access: { kind: 'org', role: 'member' },
    plural: 'projects',
    item: projectSchema,
    description: 'Projects.',
    async list(request) {
      const { org_id, org } = request.scope;
      const identity = await access.identities.get(callerOf(request));
      const page = readPage(request.query);
      const rows = await listProjects(access.models, filterFor(identity, org_id), page);
      const { items, ...rest } = pageOf(rows, page.limit, (row) => row.project_id);
      return { items: items.map((row) => projectView(identity, org, row)), ...rest };
    },
  }),
  {
    method: 'GET',
    path: SCOPED,
    operation: 'getProject',
    summary: "One project and the caller's role in it.",
    access: VIEWER,
    responses: { 200: { description: 'The project.', schema: projectSchema } },
    async handle(request) {
      const { org_id, org, project_id } = request.scope;
      const identity = await access.identities.get(callerOf(request));
      const row = await findProjectById(access.database, org_id, project_id);
      return { status: 200, json: projectView(identity, org, row!) };
    },
  },
  {
    method: 'PUT',
    path: SCOPED,
    operation: 'putProject',
    summary: 'Creates a project.',
    access: { kind: 'org', role: 'owner' },
    body: EMPTY_BODY,
    responses: {
      200: { description: 'The project already exists; nothing changed.', schema: projectSchema },
      201: { description: 'Created.', schema: projectSchema },
    },
    async handle(request) {
      const { org_id, org } = request.scope;
      const name = checkName(request.params.project!, 'project');
      const identity = await access.identities.get(callerOf(request));
      const project = await access.directory.putProject(org_id, name, auditSource(request));
      return { status: project.made ? 201 : 200, json: projectView(identity, org, project) };
    },
  },
];

/** Selects exactly the projects for which `projectRoleOf` returns a role. */
function filterFor(identity: Identity, org_id: string): ProjectFilter {
  const membership = identity.orgs.get(org_id);
  const limit = identity.token.limits.project_id;
  const owner = membership?.role === 'owner';
  if (owner && limit === null) return { org_ids: [org_id], project_ids: [] };
  const project_ids = owner ? [limit!] : [...(membership?.projects.keys() ?? [])];
  return { org_ids: [], project_ids: project_ids.filter((project_id) => projectRoleOf(identity, org_id, project_id)) };
}
