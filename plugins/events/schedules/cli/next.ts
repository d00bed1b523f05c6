import type { Output, Run } from '../../../../cli/contract.ts';

/** On a terminal it also prints how far away each time is. */
const withDistance = (due: string, output: Output): string => (output.relative ? `${due}  ${output.time(due)}` : due);

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const path = api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/next`);
  const query = flags.count === undefined ? {} : { count: Number(flags.count) };
  const next_due = await api.json<{ next: string[]; paused: boolean }>({ path, query });
  output.data(next_due, () => next_due.next.map((due) => withDistance(due, output)).join('\n'));
  if (next_due.paused) output.note('it is paused: it starts nothing at these times until you resume it');
  return undefined;
};
