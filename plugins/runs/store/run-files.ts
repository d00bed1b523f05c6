import { chunks, type Database, inList } from '../../../kernel/contracts/index.ts';
import type { FileHolder, RunFiles } from '../contract.ts';

type Reads = Pick<Database, 'read'>;

export const createRunFiles = (database: Reads): RunFiles => ({
  async setOf({ project_id, run_id }) {
    const [row] = await database.read<{ file_set: string | null }>(
      `SELECT s.file_set FROM runs_runs r
       JOIN runs_sources s ON s.project_id = r.project_id AND s.digest = r.source_digest
       WHERE r.run_id = ? AND r.project_id = ?`,
      [run_id, project_id],
    );
    return row?.file_set ?? undefined;
  },
});

/** The sets of sources: one that no run has any more is gone two hours later. */
export const heldByRuns = (database: Reads): FileHolder => ({
  name: 'runs',
  async holding(project_id, sets) {
    const held: string[] = [];
    for (const some of chunks(sets)) {
      const list = inList(some);
      const rows = await database.read<{ file_set: string }>(
        `SELECT DISTINCT file_set FROM runs_sources WHERE project_id = ? AND file_set IN ${list.marks}`,
        [project_id, ...list.params],
      );
      held.push(...rows.map(({ file_set }) => file_set));
    }
    return held;
  },
});
