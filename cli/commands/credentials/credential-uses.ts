import type { Run } from '../../command.ts';

interface Uses {
  name: string;
  uses: { kind: string; name: string; detail: string }[];
  more: boolean;
}

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const path = api.scoped(`/credentials/${encodeURIComponent(args[0]!)}/uses`);
  const answer = await api.json<Uses>({ path });
  output.data(answer, () =>
    answer.uses.length > 0
      ? output.table(
          ['kind', 'name', 'where'],
          answer.uses.map((one) => [one.kind, one.name, one.detail]),
        )
      : '',
  );
  if (answer.uses.length === 0) output.note(`nothing names ${args[0]}`);
  if (answer.more) output.note('there are more than are shown');
  return undefined;
};
