import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const { orgs } = await api.json<Api.Whoami>({ path: '/api/v1/whoami' });
  output.data({ orgs }, () =>
    orgs.length > 0
      ? output.table(
          ['org', 'role'],
          orgs.map((one) => [one.org, one.role]),
        )
      : '',
  );
  if (orgs.length === 0) output.noteEmpty('orgs');
  return undefined;
};
