import { type Api, type Columns, described, type Run, usageError } from '../../../cli/contract.ts';

const SHOWN: Columns<Api.TestedHandlerView> = {
  event: ({ event, type }) => `${event} (${type})`,
  pattern: ({ pattern }) => pattern ?? 'none matches',
  when: ({ when }) => when && `${when.source} → ${when.error ?? when.value}`,
  outcome: 'outcome',
  reason: 'reason',
  run: 'run_id',
};

export const run: Run = async ({ args, flags, output, client }) => {
  if (flags.event === undefined)
    throw usageError('--event is missing', 'give the id of an event; svc events ls lists them');
  const api = await client();
  const answer = await api.json<Api.TestedHandlerView>({
    method: 'POST',
    path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}/test`),
    body: { event: flags.event },
  });
  output.data(answer, () => described(SHOWN, answer, output));
  return undefined;
};
