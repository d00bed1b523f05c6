import { orgOf } from '../../client/choose.ts';
import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = `/api/v1/orgs/${encodeURIComponent(orgOf(api.profile))}/projects/${encodeURIComponent(args[0]!)}`;
  const { status, body } = await api.answer({ method: 'PUT', path, body: {} });
  output.data(body, () => '');
  output.note(status === 201 ? `project ${args[0]} created` : `project ${args[0]} was there already`);
  return undefined;
};
