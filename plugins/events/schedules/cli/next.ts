import type { Api, Output, Run } from '../../../../cli/contract.ts';

/** On a terminal it also prints how far away each time is. */
const withDistance = (due: string, output: Output): string => (output.relative ? `${due}  ${output.time(due)}` : due);

/** Due times that wait come first, each with its reason. */
const formatTimes = ({ waiting, upcoming, paused }: Api.NextDue, output: Output): string[] => [
  ...waiting.map(({ due, reason, backfill }) => `${due}  ${backfill ? 'backfill: ' : ''}${reason}`),
  ...upcoming.map(({ due, starts_at, reason }) => {
    const notes = [starts_at !== due && `starts at ${starts_at}`, !paused && reason].filter(Boolean);
    return [withDistance(due, output), notes.join(', ')].filter(Boolean).join('  ');
  }),
];

export const run: Run = async ({ args, flags, output, client }) => {
  const api = await client();
  const path = api.scoped(`/schedules/${encodeURIComponent(args[0]!)}/next`);
  const query = flags.count === undefined ? {} : { count: Number(flags.count) };
  const next_due = await api.json<Api.NextDue>({ path, query });
  output.data(next_due, () => formatTimes(next_due, output).join('\n'));
  const [last_skip] = next_due.skipped;
  if (last_skip) output.note(`last skipped: ${last_skip.due}  ${last_skip.reason}`);
  if (next_due.paused) output.note('The schedule is paused, and nothing starts at these times until you resume it.');
  return undefined;
};
