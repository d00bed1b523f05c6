import {
  type Access as AccessRule,
  ADMIN,
  callerOf,
  type HttpRequest,
  iso,
  listRoute,
  pageOf,
  readPage,
  type Route,
  SCOPED,
  USER,
} from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../platform/audit/contract.ts';
import { isName } from './domain/names.ts';
import acceptedSchema from './schema/accepted-invitation.schema.json' with { type: 'json' };
import invitationSchema from './schema/invitation.schema.json' with { type: 'json' };
import memberInvitation from './schema/member-invitation.schema.json' with { type: 'json' };
import type { Access } from './service/access.ts';
import type { InvitationRow } from './store/models.ts';
import { findUserByName, userNames } from './store/users.ts';

/** People who may add members to an org or a project may also list and withdraw its invitations. */
interface InvitationScope {
  path: string;
  suffix: string;
  what: string;
  access: AccessRule;
}

const OF_ORG: InvitationScope = {
  path: '/api/v1/orgs/:org/invitations',
  suffix: 'OrgInvitation',
  what: 'org',
  access: { kind: 'org', role: 'owner' },
};

const OF_PROJECT: InvitationScope = {
  path: `${SCOPED}/invitations`,
  suffix: 'ProjectInvitation',
  what: 'project',
  access: ADMIN,
};

const CALLER_PATH = '/api/v1/invitations';

const idOf = ({ invitation_id }: InvitationRow): string => invitation_id;

export const invitationRoutes = (access: Access): Route[] => [
  ...callerRoutes(access),
  ...[OF_ORG, OF_PROJECT].flatMap((of) => scopeRoutes(access, of)),
];

const callerRoutes = (access: Access): Route[] => [
  listRoute({
    path: CALLER_PATH,
    operation: 'listInvitations',
    summary: "The caller's pending invitations, newest first.",
    access: USER,
    plural: 'invitations',
    item: invitationSchema,
    description: 'Invitations.',
    async list(request) {
      const identity = await access.identities.get(callerOf(request));
      const page = readPage(request.query);
      const rows = await access.invitations.listForCaller(identity, page);
      const { items, ...rest } = pageOf(rows, page.limit, idOf);
      return { items: await callerViews(access, items), ...rest };
    },
  }),
  {
    method: 'POST',
    path: `${CALLER_PATH}/:id/accept`,
    operation: 'acceptInvitation',
    summary: 'Accepts an invitation: the caller becomes a member.',
    access: USER,
    responses: { 200: { description: 'The caller is a member.', schema: acceptedSchema } },
    async handle(request) {
      const identity = await access.identities.get(callerOf(request));
      const row = await access.invitations.accept(identity, request.params.id!, auditSource(request));
      const token_reaches = identity.token.limits.org_id === null || identity.token.limits.org_id === row.org_id;
      return { status: 200, json: { ...(await scopeNames(access, row)), role: row.role, token_reaches } };
    },
  },
  {
    method: 'POST',
    path: `${CALLER_PATH}/:id/decline`,
    operation: 'declineInvitation',
    summary: 'Declines an invitation.',
    access: USER,
    responses: { 204: { description: 'Declined.' } },
    async handle(request) {
      const identity = await access.identities.get(callerOf(request));
      await access.invitations.decline(identity, request.params.id!, auditSource(request));
      return { status: 204 };
    },
  },
];

const scopeRoutes = (access: Access, { path, suffix, what, access: rule }: InvitationScope): Route[] => [
  listRoute({
    path,
    operation: `list${suffix}s`,
    summary: `Pending invitations to the ${what}, newest first.`,
    access: rule,
    plural: 'invitations',
    item: memberInvitation,
    description: 'Invitations.',
    async list({ scope, query }) {
      const page = readPage(query);
      const rows = await access.invitations.listOf(scope, page);
      const { items, ...rest } = pageOf(rows, page.limit, idOf);
      return { items: await memberInvitations(access, items), ...rest };
    },
  }),
  {
    method: 'DELETE',
    path: `${path}/:user`,
    operation: `delete${suffix}`,
    summary: `Withdraws a user's invitation to the ${what}.`,
    access: rule,
    responses: { 204: { description: 'Withdrawn.' } },
    async handle(request) {
      await withdraw(access, request);
      return { status: 204 };
    },
  },
];

async function withdraw({ database, invitations }: Access, request: HttpRequest): Promise<void> {
  const text = request.params.user ?? '';
  const user = isName(text) ? await findUserByName(database, text) : undefined;
  await invitations.withdraw(request.scope, user, auditSource(request));
}

/** Formats invitations for people who may withdraw them. */
export async function memberInvitations({ database }: Access, rows: readonly InvitationRow[]) {
  const names = await userNames(
    database,
    rows.flatMap((row) => [row.user_id, row.invited_by]),
  );
  return rows.map((row) => ({
    status: 'invited' as const,
    user: names.get(row.user_id) ?? '',
    role: row.role,
    invited_by: names.get(row.invited_by) ?? '',
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
  }));
}

async function callerViews(access: Access, rows: readonly InvitationRow[]) {
  const invited_by = rows.map((row) => row.invited_by);
  const names = await userNames(access.database, invited_by);
  return Promise.all(
    rows.map(async (row) => ({
      id: row.invitation_id,
      ...(await scopeNames(access, row)),
      role: row.role,
      invited_by: names.get(row.invited_by) ?? '',
      created_at: iso(row.created_at),
      expires_at: iso(row.expires_at),
    })),
  );
}

async function scopeNames({ scopes }: Access, { org_id, project_id }: InvitationRow) {
  return project_id === '' ? { org: await scopes.orgName(org_id) } : scopes.names(org_id, project_id);
}
