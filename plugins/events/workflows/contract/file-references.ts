import type { FileHolder } from '../../../engine/runs/contract.ts';
import type { WorkflowSummary } from './stored-workflows.ts';

/** How `WorkflowSummary` names a file set, for searches in an `about` column. */
export const FILE_SET_MEMBER = '"file_set":"';

/**
 * Protects the files of stored workflows until these are replaced or removed. `readSummaries` reads the columns that may
 * name a set.
 */
export const workflowFileReferences = (
  name: string,
  readSummaries: (project_id: string) => Promise<readonly { about: string }[]>,
): FileHolder => ({
  name,
  async holding(project_id, sets) {
    const rows = await readSummaries(project_id);
    const used_sets = new Set(rows.map(({ about }) => (JSON.parse(about) as WorkflowSummary).file_set));
    return sets.filter((set) => used_sets.has(set));
  },
});
