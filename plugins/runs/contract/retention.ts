import { extensionPoint, token } from '../../../kernel/contracts/index.ts';

/** A table whose rows belong to one run each, and are removed with it. */
export interface RunTable {
  table: string;
  /** The column with the run's id; an index begins with it. */
  column: string;
}

export const RunTables = extensionPoint<RunTable>('runs.RunTables', {
  key: ({ table }) => table,
  check: ({ table, column }) =>
    /^[a-z_]+$/.test(table) && /^[a-z_]+$/.test(column) ? undefined : `${table}.${column} is no column of a table`,
});

/** What runs that have not ended refer to. */
export interface OpenRuns {
  /** The references of envelopes (`$ref`) with a scheme, that unfinished runs of a project have yet to read: without it. */
  references(project_id: string, scheme: string): Promise<Set<string>>;
}

export const OpenRuns = token<OpenRuns>('runs.OpenRuns');
