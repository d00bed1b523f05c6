import type { FileHolder } from '../../runs/contract.ts';
import type { WorkflowAbout } from './stored-workflows.ts';

/** How `WorkflowAbout` names a set, for the search in a column `about`. */
export const NAMES_FILES = '"file_set":"';

/** What stored workflows need of files, until they are replaced or removed. `abouts`: the columns that name a set. */
export const heldByWorkflows = (
  name: string,
  abouts: (project_id: string) => Promise<readonly { about: string }[]>,
): FileHolder => ({
  name,
  async holding(project_id, sets) {
    const rows = await abouts(project_id);
    const held = new Set(rows.map(({ about }) => (JSON.parse(about) as WorkflowAbout).file_set));
    return sets.filter((set) => held.has(set));
  },
});
