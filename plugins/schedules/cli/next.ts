import type { Run } from '../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const path = api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/next`);
  const query = flags.count === undefined ? {} : { count: Number(flags.count) };
  const answer = await api.json<{ next: string[]; paused: boolean }>({ path, query });
  output.data(answer, () => answer.next.join('\n'));
  if (answer.paused) output.note('it is paused: none of these times counts until it is set again');
  return undefined;
};
