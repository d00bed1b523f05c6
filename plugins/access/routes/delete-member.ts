import type { Route } from '../../../kernel/contracts/index.ts';
import { auditSource } from '../../audit/contract.ts';
import type { Access } from '../service/access.ts';
import { type MemberPlace, readMemberOf } from './member-place.ts';

export const deleteMember = (access: Access, place: MemberPlace): Route => ({
  method: 'DELETE',
  path: `${place.path}/:user`,
  operation: `delete${place.suffix}`,
  summary: `Removes a member from the ${place.what}; the last owner of an org stays.`,
  access: place.write,
  responses: { 204: { description: 'Removed.' } },
  async handle(request) {
    const { user } = await readMemberOf(access, request);
    await access.directory.removeMember(request.scope, user, auditSource(request));
    return { status: 204 };
  },
});
