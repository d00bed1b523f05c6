import { encodeCursor } from '../../../../kernel/contracts/index.ts';
import { maskRun, type Run, type RunFilter, type RunReader } from '../../../engine/runs/contract.ts';
import type { RunMasks } from '../../../security/masking/contract.ts';

interface Scope {
  org_id: string;
  project_id: string;
}

/** Pages of runs, with secret values masked. */
export class RunLists {
  readonly #reader: Pick<RunReader, 'list' | 'listed'>;
  readonly #masks: Pick<RunMasks, 'maskEach'>;

  constructor(reader: Pick<RunReader, 'list' | 'listed'>, masks: Pick<RunMasks, 'maskEach'>) {
    this.#reader = reader;
    this.#masks = masks;
  }

  async list(
    { org_id, project_id }: Scope,
    filter: RunFilter,
  ): Promise<{ runs: Run[]; next_cursor: string | undefined }> {
    const scope = { org_id, project_id };
    const { run_ids, next } = await this.#reader.list(project_id, filter);
    const runs = await this.#reader.listed(scope, run_ids);
    // Read after the runs: values that they may show were stored before them.
    return {
      runs: await this.#masks.maskEach(scope, runs, (run, masker) => maskRun(run, masker)),
      next_cursor: next === undefined ? undefined : encodeCursor(next),
    };
  }
}
