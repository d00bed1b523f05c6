// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LogsQuery {
  /**
   * `true` returns server-sent events until the run ends.
   */
  follow?: 'true' | 'false';
  /**
   * `true` puts its time at the start of each line. In a followed log, every event contains the time as `at`, even without this parameter.
   */
  timestamps?: 'true' | 'false';
  /**
   * `json` returns a JSON object for each line: `at`, `stream`, `pass`, `site`, `activity` if several nodes write, and `text` (`text_base64` if it is not UTF-8).
   */
  format?: 'text' | 'json';
  /**
   * The maximum number of lines to return, counted from the end.
   */
  tail?: string;
  /**
   * A call's name or site (`build#1`), or the name of a node or job. Only its output is returned: for a call, the output from its start to the start of the next call.
   */
  step?: string;
  /**
   * Which pass of each program to return output from: a number, starting at 1, or `last` for the last pass that printed anything. `all` returns every pass.
   */
  pass?: string;
  /**
   * The text that a line must contain. You cannot combine this parameter with `follow`.
   */
  grep?: string;
}
