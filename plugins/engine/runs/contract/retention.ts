import { extensionPoint, movedPoint, type Transaction, token } from '../../../../kernel/contracts/index.ts';
import type { IncludedFile } from '../generated/workflow.ts';

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

export const RunTables = extensionPoint<RunTable>('runs.RunTables', {
  key: ({ table }) => table,
  check: ({ table, column }) =>
    /^[a-z_]+$/.test(table) && /^[a-z_]+$/.test(column) ? undefined : `${table}.${column} is not a column of a table`,
});

/** What several runs share, such as the contents of included files: it exists as long as one of them needs it. */
export interface SharedContent {
  name: string;
  /**
   * Ensures that the contents of included files exist, and keeps them for an hour at least. Called outside of transactions,
   * before runs with these files are made or a workflow with them is stored. `by`: a run that names them, which must have
   * brought them, or have them itself. Throws `include_missing`, with the digests that are to be uploaded. A submit with
   * files is rejected if nothing has this method.
   */
  retainFiles?(
    scope: { org_id: string; project_id: string },
    files: readonly IncludedFile[],
    by: string | undefined,
  ): Promise<void>;
  /** Removes what no run needs and was not used since `before`, as a `Prunable` does. Called after the old runs have gone. */
  remove(before: number, limit: number): AsyncIterable<number>;
}

export const SharedContents = extensionPoint<SharedContent>('runs.SharedContents', { key: ({ name }) => name });

/** Contents that are kept for runs that name included files. */
export type RetainedFiles = SharedContent & Required<Pick<SharedContent, 'retainFiles'>>;

export const retainsFiles = (content: SharedContent): content is RetainedFiles => content.retainFiles !== undefined;

/** @deprecated Contribute to `SharedContents`. Version 0.4.0 removes this point. */
export const RunLeftovers = movedPoint('runs.RunLeftovers', SharedContents, (one: SharedContent) => one);

/** @deprecated Version 0.4.0 removes it. */
export interface FileKeeper {
  name: string;
  keep: NonNullable<SharedContent['retainFiles']>;
}

/** @deprecated Contribute an object with `retainFiles` to `SharedContents`. Version 0.4.0 removes this point. */
export const FileKeepers = movedPoint(
  'runs.FileKeepers',
  SharedContents,
  ({ name, keep }: FileKeeper): SharedContent => ({ name: `keeper of ${name}`, retainFiles: keep, async *remove() {} }),
);

/** What unfinished runs refer to. */
export interface OpenRuns {
  /**
   * The envelope references (`$ref`) of one scheme that unfinished runs of a project still need, without the scheme.
   */
  references(project_id: string, scheme: string): Promise<Set<string>>;
}

export const OpenRuns = token<OpenRuns>('runs.OpenRuns');
