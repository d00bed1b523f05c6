import type { RunOrigins } from '../contract.ts';
import { MAX_DEPTH } from './depth.ts';

/** Reads one row for each level; there are at most `MAX_DEPTH` above a run. */
export const runOrigins: RunOrigins = {
  async eventOf(on, project_id, run_id) {
    let above: string | null = run_id;
    for (let depth = 0; above !== null && depth <= MAX_DEPTH; depth++) {
      const rows: { trigger_event: string | null; parent: string | null }[] = await on.read(
        'SELECT trigger_event, parent FROM runs_runs WHERE run_id = ? AND project_id = ?',
        [above, project_id],
      );
      const [row] = rows;
      if (row?.trigger_event) return row.trigger_event;
      above = row?.parent ?? null;
    }
    return undefined;
  },
};
