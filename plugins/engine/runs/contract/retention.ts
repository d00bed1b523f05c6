import { extensionPoint, type Transaction, token } from '../../../../kernel/contracts/index.ts';

/** A table whose rows belong to one run each and are removed with it. */
export interface RunTable {
  table: string;
  /** The column with the run's id; an index begins with it. */
  column: string;
  /** The columns of the primary key of a table that SQLite stores WITHOUT ROWID: `run_id, position`. */
  clustered_key?: string;
  /**
   * Removes at most `limit` rows of at most 100 runs, when deleting is not enough: what the rows name must be noted for
   * removal in the same transaction. Answers how many. Absent: they are deleted.
   */
  remove?(tx: Transaction, run_ids: readonly string[], limit: number): Promise<number>;
}

/** What several runs share, and what nobody needs once the last of them is gone. */
export interface RunLeftover {
  name: string;
  /** Removes what no run needs and was not used since `before`, as a `Prunable` does. Called after the old runs have gone. */
  remove(before: number, limit: number): AsyncIterable<number>;
}

export const RunLeftovers = extensionPoint<RunLeftover>('runs.RunLeftovers', { key: ({ name }) => name });

export const RunTables = extensionPoint<RunTable>('runs.RunTables', {
  key: ({ table }) => table,
  check: ({ table, column }) =>
    /^[a-z_]+$/.test(table) && /^[a-z_]+$/.test(column) ? undefined : `${table}.${column} is not a column of a table`,
});

/** What unfinished runs refer to. */
export interface OpenRuns {
  /**
   * The envelope references (`$ref`) of one scheme that unfinished runs of a project still need, without the scheme.
   */
  references(project_id: string, scheme: string): Promise<Set<string>>;
}

export const OpenRuns = token<OpenRuns>('runs.OpenRuns');
