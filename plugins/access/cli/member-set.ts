import { type Api, namedPath, put, type Run, usageError } from '../../../cli/contract.ts';
import { membersPath } from './paths.ts';

export const run: Run = async (invocation) => {
  const { args, flags, output } = invocation;
  const { role } = flags;
  if (role === undefined)
    throw usageError('--role is missing', 'org: owner or member; project: viewer, member or admin');
  await put<Api.OrgMember | Api.ProjectMember | Api.MemberInvitation>(invocation, {
    path: namedPath(membersPath),
    body: { role },
    said: (_, answer, { profile }) => {
      const place = `${flags.project ?? profile.org}`;
      if (!('status' in answer)) return `${args[0]} is ${answer.role} of ${place}`;
      return (
        `${args[0]} has an account elsewhere and is invited to be ${answer.role} of ${place}, ${output.until(answer.expires_at)}; ` +
        'they see it in `svc invitation ls`'
      );
    },
  });
  return undefined;
};
