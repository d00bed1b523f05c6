import { decodeCursor, encodeCursor, iso, pageOf } from '../../../../kernel/contracts/index.ts';
import { checkRunId, type RunReader, runNotFound, type SignalFilter } from '../../../engine/runs/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';
import type { Signal } from '../generated/signal.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

interface Page extends Pick<SignalFilter, 'state' | 'limit'> {
  cursor: string | undefined;
}

export class SignalViews {
  readonly #reader: RunReader;
  readonly #masks: Pick<RunMasks, 'of'>;

  constructor(reader: RunReader, masks: Pick<RunMasks, 'of'>) {
    this.#reader = reader;
    this.#masks = masks;
  }

  /** The newest first. Throws `not_found` for an absent or foreign run. */
  async list(
    { org_id, project_id }: Scope,
    id: string,
    { limit, cursor, state }: Page,
  ): Promise<{ signals: Signal[]; next_cursor: string | undefined }> {
    const run_id = checkRunId(id);
    const before = decodeCursor(cursor, 'number')?.[0];
    if (!(await this.#reader.exists(project_id, run_id))) throw runNotFound(run_id);
    const { signals, searched_to } = await this.#reader.signals(run_id, { state, before, limit: limit + 1 });
    const { items, next_cursor = searched_to === undefined ? undefined : encodeCursor(searched_to) } = pageOf(
      signals,
      limit,
      ({ seq }) => seq,
    );
    const masker = await this.#masks.of({ org_id, project_id, run_id });
    const rendered = items.map(({ name, state: status, sent_at, taken_at, sent_by, decision }) => ({
      name: masker.text(name),
      state: status,
      sent_at: iso(sent_at),
      ...(taken_at !== null && { taken_at: iso(taken_at) }),
      ...(sent_by !== null && { by: masker.text(sent_by) }),
      ...(decision !== null && { decision }),
    }));
    return { signals: rendered, next_cursor };
  }
}
