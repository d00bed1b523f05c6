import { extensionPoint } from '../../../../kernel/contracts/index.ts';

/**
 * A record of runs that were submitted, started or ended, by any server, in the order of commits: no change is missed where
 * servers do not wake each other.
 */
export interface ChangedRuns {
  name: string;
  /** Returns the current end of the record. */
  lastPosition(project_id: string): Promise<number>;
  /** Returns at most `limit` entries after a position; `more` is true when there are others. */
  readAfter(
    project_id: string,
    position: number,
    limit: number,
  ): Promise<{ run_ids: string[]; position: number; more: boolean }>;
}

export const ChangedRuns = extensionPoint<ChangedRuns>('live.ChangedRuns', { key: ({ name }) => name });
