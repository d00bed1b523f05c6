import type { Run } from '../../command.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const { status, body } = await api.answer({
    method: 'PUT',
    path: `/api/v1/orgs/${encodeURIComponent(args[0]!)}`,
    body: {},
  });
  output.data(body, () => '');
  output.note(status === 201 ? `org ${args[0]} created; you own it` : `org ${args[0]} was there already`);
  return undefined;
};
