import {
  type Api,
  type Columns,
  formatItem,
  type Invocation,
  readPayload,
  type Run,
  usageError,
} from '../../../../cli/contract.ts';

const SHOWN: Columns<Api.TestedHandlerView> = {
  event: ({ event, type, trusted }) =>
    event === undefined ? `sample (${type}${trusted === false ? ', untrusted' : ''})` : `${event} (${type})`,
  pattern: ({ pattern }) => pattern ?? 'none matches',
  when: ({ when }) => when && `${when.source} → ${when.error ?? when.value}`,
  outcome: 'outcome',
  reason: 'reason',
  run: 'run_id',
  input: ({ input }) => input && JSON.stringify(input),
};

export const run: Run = async (invocation) => {
  const { args, output, client } = invocation;
  const body = await buildBody(invocation);
  const api = await client();
  const result = await api.json<Api.TestedHandlerView>({
    method: 'POST',
    path: api.scoped(`/handlers/${encodeURIComponent(args[0]!)}/test`),
    body,
  });
  output.data(result, () => formatItem(SHOWN, result, output));
  return undefined;
};

async function buildBody(invocation: Invocation): Promise<Record<string, unknown>> {
  const { event, payload, type, key, untrusted } = invocation.flags;
  const made_up = { type, key, trusted: untrusted ? false : undefined };
  if (event !== undefined) {
    const other = Object.entries({ payload, type, key, untrusted }).find(
      ([, value]) => value !== undefined && value !== false,
    );
    if (other)
      throw usageError(
        `--event and --${other[0]} cannot be combined`,
        'with --payload, the command tests a sample event',
      );
    return { event };
  }
  if (payload === undefined)
    throw usageError('--event is missing', 'pass the ID of an event (`svc events ls` lists them) or a --payload');
  return { ...made_up, payload: await readPayload(String(payload), invocation) };
}
