import { decodeCursor, encodeCursor, iso, pageOf } from '../../../kernel/contracts/index.ts';
import type { RunMasks } from '../../masking/contract.ts';
import type { Signal } from '../generated/signal.ts';
import type { Reader } from '../store/parts.ts';
import { readSignals, type SentState } from '../store/signal-list.ts';
import { hasRun } from '../store/steps.ts';
import { noRun } from './run-views.ts';

interface Place {
  org_id: string;
  project_id: string;
  run_id: string;
}

interface Page {
  limit: number;
  cursor: string | undefined;
  state: SentState | undefined;
}

export interface SignalViews {
  /** The newest first. Throws `not_found` for an absent or foreign run. */
  list(place: Place, page: Page): Promise<{ signals: Signal[]; next_cursor?: string }>;
}

export const createSignalViews = (on: Reader, masks: Pick<RunMasks, 'of'>): SignalViews => ({
  async list(place, { limit, cursor, state }) {
    const before = decodeCursor(cursor, 'number')?.[0];
    if (!(await hasRun(on, place.project_id, place.run_id))) throw noRun(place.run_id);
    const { rows, looked_to } = await readSignals(on, place.run_id, { state, before, limit: limit + 1 });
    const { items, next_cursor = looked_to === undefined ? undefined : encodeCursor(looked_to) } = pageOf(
      rows,
      limit,
      ({ seq }) => seq,
    );
    const masker = await masks.of(place);
    const signals = items.map(({ name, state: stands, sent_at, taken_at }) => ({
      name: masker.text(name),
      state: stands,
      sent_at: iso(sent_at),
      ...(taken_at !== null && { taken_at: iso(taken_at) }),
    }));
    return { signals, ...(next_cursor !== undefined && { next_cursor }) };
  },
});
