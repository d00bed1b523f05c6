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
} from '../../kernel/contracts/index.ts';
import { auditSource } from '../audit/contract.ts';
import { isName } from './domain/names.ts';
import acceptedSchema from './schema/accepted-invitation.schema.json' with { type: 'json' };
import invitationSchema from './schema/invitation.schema.json' with { type: 'json' };
import memberInvitation from './schema/member-invitation.schema.json' with { type: 'json' };
import type { Access } from './service/access.ts';
import type { InvitationRow } from './store/models.ts';
import { findUserByName, userNames } from './store/users.ts';

/** Who may add members sees and withdraws what they ask. */
interface Place {
  path: string;
  suffix: string;
  what: string;
  access: AccessRule;
}

const OF_ORG: Place = {
  path: '/api/v1/orgs/:org/invitations',
  suffix: 'OrgInvitation',
  what: 'org',
  access: { kind: 'org', role: 'owner' },
};

const OF_PROJECT: Place = {
  path: `${SCOPED}/invitations`,
  suffix: 'ProjectInvitation',
  what: 'project',
  access: ADMIN,
};

const OWN = '/api/v1/invitations';

const idOf = ({ invitation_id }: InvitationRow): string => invitation_id;

export const invitationRoutes = (access: Access): Route[] => [
  ...ownRoutes(access),
  ...[OF_ORG, OF_PROJECT].flatMap((of) => placeRoutes(access, of)),
];

const ownRoutes = (access: Access): Route[] => [
  listRoute({
    path: OWN,
    operation: 'listInvitations',
    summary: 'The invitations that wait for the caller’s answer, newest first.',
    access: USER,
    plural: 'invitations',
    item: invitationSchema,
    description: 'Invitations.',
    async list(request) {
      const identity = await access.identities.of(callerOf(request));
      const page = readPage(request.query);
      const rows = await access.invitations.listOwn(identity, page);
      const { items, ...rest } = pageOf(rows, page.limit, idOf);
      return { items: await ownViews(access, items), ...rest };
    },
  }),
  {
    method: 'POST',
    path: `${OWN}/:id/accept`,
    operation: 'acceptInvitation',
    summary: 'Accepts an invitation: the caller becomes a member.',
    access: USER,
    responses: { 200: { description: 'The caller is a member.', schema: acceptedSchema } },
    async handle(request) {
      const identity = await access.identities.of(callerOf(request));
      const row = await access.invitations.accept(identity, request.params.id!, auditSource(request));
      const token_reaches = identity.token.limits.org_id === null || identity.token.limits.org_id === row.org_id;
      return { status: 200, json: { ...(await placeNames(access, row)), role: row.role, token_reaches } };
    },
  },
  {
    method: 'POST',
    path: `${OWN}/:id/decline`,
    operation: 'declineInvitation',
    summary: 'Declines an invitation.',
    access: USER,
    responses: { 204: { description: 'Declined.' } },
    async handle(request) {
      const identity = await access.identities.of(callerOf(request));
      await access.invitations.decline(identity, request.params.id!, auditSource(request));
      return { status: 204 };
    },
  },
];

const placeRoutes = (access: Access, { path, suffix, what, access: rule }: Place): Route[] => [
  listRoute({
    path,
    operation: `list${suffix}s`,
    summary: `Invitations to the ${what} that wait for an answer, newest first.`,
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
    summary: `Withdraws the invitation of a user to the ${what}.`,
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

/** For those who may withdraw them. */
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

async function ownViews(access: Access, rows: readonly InvitationRow[]) {
  const invited_by = rows.map((row) => row.invited_by);
  const names = await userNames(access.database, invited_by);
  return Promise.all(
    rows.map(async (row) => ({
      id: row.invitation_id,
      ...(await placeNames(access, row)),
      role: row.role,
      invited_by: names.get(row.invited_by) ?? '',
      created_at: iso(row.created_at),
      expires_at: iso(row.expires_at),
    })),
  );
}

async function placeNames({ scopes }: Access, { org_id, project_id }: InvitationRow) {
  return project_id === '' ? { org: await scopes.orgName(org_id) } : scopes.names(org_id, project_id);
}
