import type { Route } from '../../../kernel/contracts/index.ts';
import type { Access } from '../service/access.ts';
import { type MemberPlace, memberView, readMemberOf } from './member-place.ts';

export const getMember = (access: Access, place: MemberPlace): Route => ({
  method: 'GET',
  path: `${place.path}/:user`,
  operation: `get${place.suffix}`,
  summary: `One member of the ${place.what}.`,
  access: place.read,
  responses: { 200: { description: 'The member.', schema: place.memberSchema } },
  async handle(request) {
    const { user, member } = await readMemberOf(access, request);
    return { status: 200, json: memberView(user.name, member) };
  },
});
