// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface RerunRunBody {
  /**
   * The site from which to run the script again, `name#ordinal`. A name without a number means its first occurrence. If several calls were recorded at the site, put the verb before it. For a pipeline or a graph, the job or node to start from. Calls recorded before that point are not repeated.
   */
  from?: string;
  /**
   * Runs everything in a pipeline or a graph again. Otherwise a rerun without `from` keeps the jobs and nodes that succeeded, unless the run succeeded. A script without `from` runs from its first line anyway.
   */
  all?: boolean;
  /**
   * A new input, any JSON, which replaces the first run's input completely. It is checked against the inputs that the workflow declares. Without `from`, a rerun of a pipeline or a graph with a new input keeps no results.
   */
  input?: null | boolean | number | string | unknown[] | {};
}
