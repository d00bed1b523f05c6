import type { FileHolder } from '../../../engine/runs/contract.ts';
import type { WorkflowSummary } from './stored-workflows.ts';

/** How `WorkflowSummary` names a file set, for searches in an `about` column. */
export const FILE_SET_MEMBER = '"file_set":"';

const setIn = (about: string): string | undefined => (JSON.parse(about) as WorkflowSummary).file_set;

/**
 * Protects the files of stored workflows until these are replaced or removed, and tells which belong to one of them.
 * `kind` is that of their paths. `readSummaries` reads the columns that may name a set, of all or of one workflow.
 */
export const workflowFileReferences = (
  name: string,
  kind: string,
  readSummaries: (project_id: string, only?: string) => Promise<readonly { about: string }[]>,
): FileHolder => ({
  name,
  async holding(project_id, sets) {
    const rows = await readSummaries(project_id);
    const used_sets = new Set(rows.map(({ about }) => setIn(about)));
    return sets.filter((set) => used_sets.has(set));
  },
  documents: {
    kind,
    async setOf(project_id, only) {
      const [row] = await readSummaries(project_id, only);
      return row && setIn(row.about);
    },
  },
});
