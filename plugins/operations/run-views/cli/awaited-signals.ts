import type { CompletionSource } from '../../../../cli/contract.ts';
import type { RunView } from '../explain/answers.ts';
import { readOpenWaits } from './open-waits.ts';

/** The signals that a run waits for. A wait of a node for an event ends by a signal, too. */
export const words: CompletionSource = async (api, [run_id = '']) => {
  const run = await api.json<RunView>({ path: api.scoped(`/runs/${encodeURIComponent(run_id)}`) });
  const waits = await readOpenWaits(api, run);
  return waits.flatMap(({ kind, name, node }) => {
    const says = node === undefined ? 'the run is waiting for it' : `${node} is waiting for it`;
    if (kind === 'signal') return [{ word: name, description: says }];
    return kind === 'event' && node !== undefined
      ? [{ word: `event:${node}`, description: `instead of the event ${name}` }]
      : [];
  });
};
