import { inList, insertRows, type Queries, type Transaction } from '../../../../kernel/contracts/index.ts';

type On = Pick<Queries, 'read'>;

/** Returns runs with a term that are older than `before`, newest first. */
export async function readRunsWith(
  on: On,
  project_id: string,
  term: string,
  before: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await on.read<{ run_id: string }>(
    `SELECT run_id FROM run_search_terms WHERE project_id = ? AND term = ? ${before === undefined ? '' : 'AND run_id < ?'}
     ORDER BY run_id DESC LIMIT ${Math.trunc(limit)}`,
    [project_id, term, ...(before === undefined ? [] : [before])],
  );
  return rows.map(({ run_id }) => run_id);
}

/** Returns those of the runs that have all of these terms. */
export async function havingAll(
  on: On,
  project_id: string,
  terms: readonly string[],
  run_ids: readonly string[],
): Promise<Set<string>> {
  if (terms.length === 0 || run_ids.length === 0) return new Set(run_ids);
  const [of_terms, of_runs] = [inList(terms), inList(run_ids)];
  const rows = await on.read<{ run_id: string }>(
    `SELECT run_id FROM run_search_terms WHERE project_id = ? AND term IN ${of_terms.placeholders}
       AND run_id IN ${of_runs.placeholders} GROUP BY run_id HAVING COUNT(*) = ${terms.length}`,
    [project_id, ...of_terms.params, ...of_runs.params],
  );
  return new Set(rows.map(({ run_id }) => run_id));
}

export const insertTerms = (
  tx: Transaction,
  rows: readonly (readonly [project_id: string, term: string, run_id: string])[],
): Promise<number> =>
  insertRows(tx, `${tx.sql.insert_ignore} run_search_terms`, ['project_id', 'term', 'run_id'], rows);
