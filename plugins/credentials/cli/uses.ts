import type { Api, Run } from '../../../cli/contract.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/credentials/${encodeURIComponent(args[0]!)}/uses`);
  const answer = await api.json<Api.CredentialUses>({ path });
  const rows = answer.uses.map((one) => [one.kind, one.name, one.detail]);
  output.data(answer, () => (rows.length > 0 ? output.table(['kind', 'name', 'where'], rows) : ''));
  if (rows.length === 0) output.note(`nothing uses ${args[0]}`);
  if (answer.more) output.note('the list is not complete');
  return undefined;
};
