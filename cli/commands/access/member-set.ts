import { membersPath } from '../../client/choose.ts';
import { type Run, usageError } from '../../command.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  if (flags.role === undefined)
    throw usageError('--role is missing', 'org: owner or member; project: viewer, member or admin');
  const api = await client();
  const body = await api.json({
    method: 'PUT',
    path: membersPath(api.profile, flags.project, args[0]),
    body: { role: flags.role },
  });
  output.data(body, () => '');
  output.note(`${args[0]} is ${flags.role} of ${flags.project ?? api.profile.org}`);
  return undefined;
};
