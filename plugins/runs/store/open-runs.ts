import type { Database, Queries } from '../../../kernel/contracts/index.ts';
import type { OpenRuns } from '../contract.ts';

const PAGE = 500;
export const OPEN_STATUSES = ['queued', 'running', 'waiting'];

/** Counts up to `most`; the index of statuses answers. */
export async function countOpenRuns(on: Pick<Queries, 'read'>, project_id: string, most: number): Promise<number> {
  const [row] = await on.read<{ n: number }>(
    `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM runs_runs WHERE project_id = ?
     AND status IN ('queued', 'running', 'waiting') LIMIT ${Math.trunc(most)}) counted`,
    [project_id],
  );
  return Number(row!.n);
}

/** Read in pages: a project may have very many waiting runs. */
export function createOpenRuns(database: Pick<Database, 'read'>): OpenRuns {
  return {
    async references(project_id, scheme) {
      const found = new Set<string>();
      for (const status of OPEN_STATUSES)
        for (let after = ''; ; ) {
          const rows = await database.read<{ run_id: string; envelope: string }>(
            `SELECT run_id, envelope FROM runs_runs WHERE project_id = ? AND status = ? AND run_id > ?
             ORDER BY run_id LIMIT ${PAGE}`,
            [project_id, status, after],
          );
          for (const { envelope } of rows) note(found, envelope, `${scheme}:`);
          if (rows.length < PAGE) break;
          after = rows.at(-1)!.run_id;
        }
      return found;
    },
  };
}

function note(found: Set<string>, envelope: string, prefix: string): void {
  const { $ref } = JSON.parse(envelope) as { $ref?: unknown };
  if (typeof $ref === 'string' && $ref.startsWith(prefix)) found.add($ref.slice(prefix.length));
}
