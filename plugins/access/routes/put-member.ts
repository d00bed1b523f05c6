import type { OrgRole, ProjectRole, Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import { checkName } from '../domain/names.ts';
import type { Access } from '../service/access.ts';
import { type MemberPlace, memberView } from './member-place.ts';
import { object } from './shapes.ts';

export const putMember = (access: Access, place: MemberPlace): Route => ({
  method: 'PUT',
  path: `${place.path}/:user`,
  operation: `put${place.suffix}`,
  summary: `Adds a user to the ${place.what}, or changes their role.`,
  access: place.write,
  body: object({ role: place.role }),
  responses: {
    200: { description: 'The role was set.', schema: place.memberSchema },
    201: { description: 'Added.', schema: place.memberSchema },
  },
  async handle(request) {
    const user = checkName(request.params.user!, 'user');
    const { role } = request.body as { role: OrgRole | ProjectRole };
    const { member, made } = await access.directory.putMember(request.scope, user, role, auditSource(request));
    return { status: made ? 201 : 200, json: memberView(user, member) };
  },
});
