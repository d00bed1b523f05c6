import { membersPath } from '../../client/choose.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ flags, output, client }) => {
  const api = await client();
  const answer = await api.json<{ members: { user: string; role: string }[] }>({
    path: membersPath(api.profile, flags.project),
  });
  output.data(answer, () =>
    answer.members.length > 0
      ? output.table(
          ['user', 'role'],
          answer.members.map((one) => [one.user, one.role]),
        )
      : '',
  );
  return undefined;
};
