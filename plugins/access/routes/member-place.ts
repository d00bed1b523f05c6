import type { Access as AccessRule, HttpRequest, JsonSchema } from '../../../kernel/contracts/index.ts';
import { Errors } from '../../../kernel/contracts/index.ts';
import { isName } from '../domain/names.ts';
import type { Access } from '../service/access.ts';
import { readMember } from '../store/members.ts';
import type { MemberRow, UserRow } from '../store/models.ts';
import { findUserByName } from '../store/users.ts';
import { iso, name, object, orgRole, projectRole, time } from './shapes.ts';

/** Members are kept alike in an org and in a project; these are the differences. */
export interface MemberPlace {
  path: string;
  /** Ends the operation's name. */
  suffix: string;
  what: string;
  role: JsonSchema;
  read: AccessRule;
  write: AccessRule;
  memberSchema: JsonSchema;
}

const memberSchema = (role: JsonSchema) => object({ user: name, role, created_at: time });

export const ofOrg: MemberPlace = {
  path: '/api/v1/orgs/:org/members',
  suffix: 'OrgMember',
  what: 'org',
  role: orgRole,
  read: { kind: 'org', role: 'member' },
  write: { kind: 'org', role: 'owner' },
  memberSchema: memberSchema(orgRole),
};

export const ofProject: MemberPlace = {
  path: '/api/v1/orgs/:org/projects/:project/members',
  suffix: 'ProjectMember',
  what: 'project',
  role: projectRole,
  read: { kind: 'project', role: 'viewer' },
  write: { kind: 'project', role: 'admin' },
  memberSchema: memberSchema(projectRole),
};

export const memberView = (user: string, member: MemberRow) => ({
  user,
  role: member.role,
  created_at: iso(member.created_at),
});

/** The user and membership that the path names. Throws `not_found`. */
export async function readMemberOf(
  { database }: Access,
  { params, scope }: HttpRequest,
): Promise<{ user: UserRow; member: MemberRow }> {
  const text = params.user ?? '';
  const user = isName(text) ? await findUserByName(database, text) : undefined;
  const { org_id, project_id } = scope;
  const member = user && (await readMember(database, { org_id, project_id, user_id: user.user_id }));
  if (!user || !member) throw Errors.notFound(`"${text}" is no member here`);
  return { user, member };
}
