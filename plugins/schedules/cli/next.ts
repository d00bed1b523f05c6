import type { Output, Run } from '../../../cli/contract.ts';

/** On a terminal also how far away it is. */
const withDistance = (due: string, output: Output): string => (output.relative ? `${due}  ${output.time(due)}` : due);

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const path = api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/next`);
  const query = flags.count === undefined ? {} : { count: Number(flags.count) };
  const answer = await api.json<{ next: string[]; paused: boolean }>({ path, query });
  output.data(answer, () => answer.next.map((due) => withDistance(due, output)).join('\n'));
  if (answer.paused) output.note('it is paused: none of these times counts until it is set again');
  return undefined;
};
