import { type Api, type Run, usageError } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, flags, output, client }) => {
  const name = args[0]!;
  const { from, to, overlap } = flags;
  if (from === undefined) throw usageError('--from is missing', 'set the start of the range, for example --from 7d');
  const api = await client();
  const done = await api.json<Api.BackfilledSchedule>({
    method: 'POST',
    path: api.scoped(`/schedules/${encodeURIComponent(name)}/backfill`),
    body: { from, to, overlap },
  });
  output.data(done, () => String(done.added));
  const others = done.due_times - done.added;
  const already = others === 0 ? '' : `; ${others} others are already queued`;
  output.note(
    `Added ${done.added} due times from ${done.from} to ${done.to}${already}; \`svc schedule next ${name}\` shows them`,
  );
  return undefined;
};
