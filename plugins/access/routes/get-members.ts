import { type Route, pageOf, pageQuery, readPage } from '../../../kernel/contracts/index.ts';
import type { Access } from '../service/access.ts';
import { listMembers } from '../store/members.ts';
import { userNames } from '../store/users.ts';
import { type MemberPlace, memberView } from './member-place.ts';
import { listOf } from './shapes.ts';

export const getMembers = (access: Access, place: MemberPlace): Route => ({
  method: 'GET',
  path: place.path,
  operation: `list${place.suffix}s`,
  summary: `Members of the ${place.what} and their roles, newest first.`,
  access: place.read,
  query: pageQuery,
  responses: { 200: { description: 'Members.', schema: listOf('members', place.memberSchema) } },
  async handle(request) {
    const { org_id, project_id } = request.scope;
    const page = readPage(request.query);
    const rows = await listMembers(access.models, { org_id, project_id }, page);
    const names = await userNames(
      access.database,
      rows.map((row) => row.user_id),
    );
    const { items, ...rest } = pageOf(rows, page.limit, (row) => row.member_id);
    const members = items.map((row) => memberView(names.get(row.user_id) ?? '', row));
    return { status: 200, json: { members, ...rest } };
  },
});
