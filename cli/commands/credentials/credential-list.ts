import { allPages } from '../../client/pages.ts';
import type { Run } from '../../command.ts';
import { cliKind } from './kinds.ts';

interface CredentialEntry {
  name: string;
  kind: string;
}

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const found = await allPages<CredentialEntry>(api, api.scoped('/credentials'), 'credentials');
  const credentials = found.map(({ name, kind }) => ({ name, kind: cliKind(kind) }));
  output.data({ credentials }, () =>
    credentials.length > 0
      ? output.table(
          ['name', 'kind'],
          credentials.map((one) => [one.name, one.kind]),
        )
      : '',
  );
  return undefined;
};
