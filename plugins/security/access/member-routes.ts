import {
  type Access as AccessRule,
  ADMIN,
  callerOf,
  Errors,
  type HttpRequest,
  iso,
  type JsonSchema,
  listRoute,
  type OrgRole,
  pageOf,
  type ProjectRole,
  readPage,
  type Route,
  SCOPED,
  VIEWER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { flagQuery } from './flag-query.ts';
import { checkName, isName } from './domain/names.ts';
import { memberInvitations } from './invitation-routes.ts';
import invitation from './schema/member-invitation.schema.json' with { type: 'json' };
import orgMember from './schema/org-member.schema.json' with { type: 'json' };
import projectMember from './schema/project-member.schema.json' with { type: 'json' };
import tokenSchema from './schema/token.schema.json' with { type: 'json' };
import putOrgMember from './schema/put-org-member.schema.json' with { type: 'json' };
import putProjectMember from './schema/put-project-member.schema.json' with { type: 'json' };
import type { Access } from './service/access.ts';
import { PolicyControl } from './service/control.ts';
import { listMembers, readMember } from './store/members.ts';
import type { MemberRow } from './store/models.ts';
import { findUserByName, userNames } from './store/users.ts';
import { MAX_LISTED, tokenViews } from './token-views.ts';

/** The routes of members are the same for orgs and projects, except for what this describes. */
interface Membership {
  path: string;
  /** The suffix of operation ids. */
  suffix: string;
  what: string;
  read: AccessRule;
  write: AccessRule;
  member: JsonSchema;
  put: JsonSchema;
}

const OF_ORG: Membership = {
  path: '/api/v1/orgs/:org/members',
  suffix: 'OrgMember',
  what: 'org',
  read: { kind: 'org', role: 'member' },
  write: { kind: 'org', role: 'owner' },
  member: orgMember,
  put: putOrgMember,
};

const OF_PROJECT: Membership = {
  path: `${SCOPED}/members`,
  suffix: 'ProjectMember',
  what: 'project',
  read: VIEWER,
  write: ADMIN,
  member: projectMember,
  put: putProjectMember,
};

const leaveQuery = flagQuery({
  keep_minted: {
    description:
      'If true, the tokens that they created for agents and other members of the org stay valid. Otherwise, these tokens are revoked.',
  },
});

const leftSchema = {
  title: 'LeftMember',
  type: 'object',
  additionalProperties: false,
  required: ['revoked', 'more'],
  properties: {
    revoked: {
      type: 'array',
      items: tokenSchema,
      description: 'The revoked tokens that the member had created for agents and other members.',
    },
    more: { type: 'integer', description: 'The number of other tokens that were revoked.' },
  },
};

export const memberRoutes = (access: Access): Route[] => [OF_ORG, OF_PROJECT].flatMap((of) => routesOf(access, of));

const routesOf = (access: Access, of: Membership): Route[] => {
  const { path, suffix, what, read, write, member: schema } = of;
  const revoking: Pick<Route, 'query' | 'responses'> =
    of === OF_ORG
      ? {
          query: leaveQuery,
          responses: {
            200: { description: 'Removed. Tokens that they had created were revoked.', schema: leftSchema },
            204: { description: 'Removed.' },
          },
        }
      : { responses: { 204: { description: 'Removed.' } } };
  return [
    listRoute({
      path,
      operation: `list${suffix}s`,
      summary: `Members of the ${what} and their roles, newest first.`,
      access: read,
      plural: 'members',
      item: schema,
      description: 'Members.',
      list: (request) => list(access, request),
    }),
    {
      method: 'GET',
      path: `${path}/:user`,
      operation: `get${suffix}`,
      summary: `One member of the ${what}.`,
      access: read,
      responses: { 200: { description: 'The member.', schema } },
      async handle(request) {
        const { user, member } = await memberOf(access, request);
        return { status: 200, json: memberView(user.name, member) };
      },
    },
    putRoute(access, of),
    {
      method: 'DELETE',
      path: `${path}/:user`,
      operation: `delete${suffix}`,
      summary: `Removes a member from the ${what}, or leaves it; the last owner of an org cannot be removed.`,
      access: read,
      ...revoking,
      async handle(request) {
        await mayRemove(access, request, write);
        const { user } = await memberOf(access, request);
        const keep_minted = request.query.keep_minted === 'true';
        const revoked = await access.directory.removeMember(request.scope, user, auditSource(request), { keep_minted });
        if (revoked.length === 0) return { status: 204 };
        const listed = await tokenViews(access, revoked.slice(0, MAX_LISTED));
        return { status: 200, json: { revoked: listed, more: revoked.length - listed.length } };
      },
    },
  ];
};

const putRoute = (access: Access, { path, suffix, what, write, member: schema, put }: Membership): Route => ({
  method: 'PUT',
  path: `${path}/:user`,
  operation: `put${suffix}`,
  summary: `Adds a user to the ${what}, or changes their role; invites a user from another org.`,
  access: write,
  body: put,
  responses: {
    200: { description: 'The role was set.', schema },
    201: { description: 'Added.', schema },
    202: {
      description: 'The user was not in the org, so svc invited them. They become a member when they accept.',
      schema: invitation,
    },
  },
  async handle(request) {
    const user = checkName(request.params.user!, 'user');
    const { role } = request.body as { role: OrgRole | ProjectRole };
    const added = await access.directory.addMember(request.scope, user, role, auditSource(request));
    if ('member' in added) return { status: added.made ? 201 : 200, json: memberView(user, added.member) };
    const [json] = await memberInvitations(access, [added.invitation]);
    return { status: 202, json };
  },
});

async function list({ models, database }: Access, { scope, query }: HttpRequest) {
  const { org_id, project_id } = scope;
  const page = readPage(query);
  const rows = await listMembers(models, { org_id, project_id }, page);
  const user_ids = rows.map((row) => row.user_id);
  const names = await userNames(database, user_ids);
  const { items, ...rest } = pageOf(rows, page.limit, (row) => row.member_id);
  return { items: items.map((row) => memberView(names.get(row.user_id) ?? '', row)), ...rest };
}

const memberView = (user: string, { role, created_at }: MemberRow) => ({ user, role, created_at: iso(created_at) });

/** Members may be removed by those who may set them, and by themselves. Throws `forbidden`. */
async function mayRemove(access: Access, request: HttpRequest, write: AccessRule): Promise<void> {
  const principal = callerOf(request);
  const { limits } = (await access.identities.get(principal)).token;
  const leaves = request.params.user === principal.name && limits.role === null && limits.project_id === null;
  if (!leaves) await new PolicyControl(access.identities, access.scopes).authorize(principal, write, request.params);
}

/** Finds the user and membership that the path names. Throws `not_found`. */
async function memberOf({ database }: Access, { params, scope }: HttpRequest) {
  const text = params.user ?? '';
  const user = isName(text) ? await findUserByName(database, text) : undefined;
  const { org_id, project_id } = scope;
  const member = user && (await readMember(database, { org_id, project_id, user_id: user.user_id }));
  if (!user || !member) throw Errors.notFound(`"${text}" is not a member`);
  return { user, member };
}
