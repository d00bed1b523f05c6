import { membersPath } from '../../client/choose.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  await api.json({ method: 'DELETE', path: membersPath(api.profile, flags.project, args[0]) });
  output.note(`${args[0]} is no member of ${flags.project ?? api.profile.org} any more`);
  return undefined;
};
