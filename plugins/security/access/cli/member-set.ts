import { type Api, namedPath, putItem, type Run, usageError } from '../../../../cli/contract.ts';
import { membersPath } from './paths.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const { role } = flags;
  if (role === undefined)
    throw usageError('--role is missing', 'org: owner or member; project: viewer, member or admin');
  await putItem<Api.OrgMember | Api.ProjectMember | Api.MemberInvitation>(invocation, {
    path: namedPath(membersPath),
    body: { role },
    confirmation: (_, answer, { profile }) => {
      const scope = `${flags.project ?? profile.org}`;
      if (!('status' in answer)) return `Made ${args[0]} ${answer.role} of ${scope}`;
      return (
        `Invited ${args[0]}, who has an account elsewhere, to be ${answer.role} of ${scope}, ${output.until(answer.expires_at)}; ` +
        'they see it in `svc invitation ls`'
      );
    },
  });
  return undefined;
};
