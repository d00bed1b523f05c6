import type { Api, Run } from '../../../../cli/contract.ts';
import { summarizeReplay } from './replay-summary.ts';

export const run: Run = async ({ args, output, client }) => {
  const api = await client();
  const replay = await api.json<Api.EventReplayView>({
    method: 'POST',
    path: api.scoped(`/event-replays/${encodeURIComponent(args[0]!)}/cancel`),
    expects: ['state', 'delivered'],
  });
  output.data(replay, () => '');
  output.note(summarizeReplay(replay));
  return undefined;
};
