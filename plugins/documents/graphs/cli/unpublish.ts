import type { Api, Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/graphs/${encodeURIComponent(args[0]!)}/unpublish`);
  output.data(await api.json<Api.GraphEntry>({ method: 'POST', path }), () => '');
  output.note(`Unpublished graph ${args[0]}; it now starts only when you submit it`);
  return undefined;
};
