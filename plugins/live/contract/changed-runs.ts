import { extensionPoint } from '../../../kernel/contracts/index.ts';

/**
 * A record of runs that were submitted, started or ended, by any server, in the order of commits: no change is missed where
 * servers do not wake each other.
 */
export interface ChangedRuns {
  name: string;
  /** The present end of the record. */
  end(project_id: string): Promise<number>;
  /** What was recorded after a position, in at most `limit` entries; with `more` there are others. */
  after(
    project_id: string,
    position: number,
    limit: number,
  ): Promise<{ run_ids: string[]; position: number; more: boolean }>;
}

export const ChangedRuns = extensionPoint<ChangedRuns>('live.ChangedRuns', { key: ({ name }) => name });
