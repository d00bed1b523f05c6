import { allPages } from '../../client/pages.ts';
import type { Run } from '../../command.ts';

interface SecretEntry {
  name: string;
  set_at: string;
}

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const secrets = await allPages<SecretEntry>(api, api.scoped('/secrets'), 'secrets');
  output.data({ secrets }, () =>
    secrets.length > 0
      ? output.table(
          ['name', 'set at'],
          secrets.map((one) => [one.name, one.set_at]),
        )
      : '',
  );
  return undefined;
};
