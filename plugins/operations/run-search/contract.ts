import { token } from '../../../kernel/contracts/index.ts';

/** The background work of the index. */
export interface RunIndexing {
  /** Indexes what there is, and stops the background work of this process: for tests that count statements. */
  settle(): Promise<void>;
}

export const RunIndexing = token<RunIndexing>('run-search.RunIndexing');
