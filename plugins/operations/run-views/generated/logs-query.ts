// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LogsQuery {
  /**
   * `true` returns server-sent events until the run ends.
   */
  follow?: 'true' | 'false';
  /**
   * `true` starts each line with its time. Events of a followed log always have it as `at`.
   */
  timestamps?: 'true' | 'false';
  /**
   * `json` returns a JSON object per line: `at`, `stream`, `pass`, `site`, `activity` if several nodes write, and `text` (`text_base64` if it is not UTF-8).
   */
  format?: 'text' | 'json';
  /**
   * Only the last lines, at most this many.
   */
  tail?: string;
  /**
   * Only the output from the start of this call to the start of the next one. The value is the call's name or site (`build#1`), or the name of a node or job.
   */
  step?: string;
  /**
   * Only the output of this pass of each program, counted from 1, or of the last pass that printed anything.
   */
  pass?: string;
  /**
   * Only lines that contain this text. You cannot combine it with `follow`.
   */
  grep?: string;
}
