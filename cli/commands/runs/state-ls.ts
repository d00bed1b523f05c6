import { type Run, usageError } from '../../command.ts';

export const run: Run = async ({ flags, output, client }) => {
  if (flags.entity === undefined) throw usageError('--entity is missing', 'svc state ls --entity <name>');
  const api = await client();
  const entity = encodeURIComponent(String(flags.entity));
  const answer = await api.json<{ cells: { key: string; value: string }[] }>({ path: api.scoped(`/state/${entity}`) });
  output.data(answer, () =>
    answer.cells.length > 0
      ? output.table(
          ['key', 'value'],
          answer.cells.map((cell) => [cell.key, cell.value]),
        )
      : '',
  );
  return undefined;
};
