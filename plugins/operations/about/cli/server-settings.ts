import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ output, client }) => {
  const api = await client();
  const path = `/api/v1/orgs/${encodeURIComponent(api.profile.org)}/server/settings`;
  const view = await api.json<Api.ServerSettings>({ path });
  output.data(view, () =>
    view.settings.length === 0
      ? ''
      : output.table(
          ['name', 'value'],
          view.settings.map(({ name, value }) => [name, value ?? '(set)']),
        ),
  );
  if (view.settings.length === 0) output.noteEmpty('settings');
  output.note(`the server's requests can reach: ${view.egress}`);
  return undefined;
};
