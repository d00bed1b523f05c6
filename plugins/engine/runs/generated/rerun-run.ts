// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RerunRunBody {
  /**
   * A recorded site, `name#ordinal`; a bare name is its first occurrence, and a verb before the site selects one of several calls at that site. In a pipeline or a graph, a job or a node. Calls recorded before it are not repeated.
   */
  from?: string;
  /**
   * Runs everything in a pipeline or a graph again. Otherwise a rerun without `from` keeps the jobs and nodes that succeeded, unless the run succeeded. A script without `from` runs from its first line anyway.
   */
  all?: boolean;
  /**
   * Any JSON, instead of the whole input of the first run, checked against what the workflow declares. Without `from`, a rerun of a pipeline or a graph with another input keeps nothing.
   */
  input?: null | boolean | number | string | unknown[] | {};
}
