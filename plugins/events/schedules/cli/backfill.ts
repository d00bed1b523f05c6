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
  const note = describeBackfill(done);
  output.note(done.added === 0 ? note : `${note}; \`svc schedule next ${name}\` shows what waits`);
  return undefined;
};

function describeBackfill({ from, to, added, due_times }: Api.BackfilledSchedule): string {
  const others = due_times - added;
  const present =
    others === 0
      ? ''
      : `; ${others} ${others === 1 ? 'has' : 'have'} already started or ${others === 1 ? 'is' : 'are'} queued`;
  return `Added ${added} due time${added === 1 ? '' : 's'} from ${from} to ${to}${present}`;
}
