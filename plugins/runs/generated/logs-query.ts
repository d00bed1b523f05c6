// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

export interface LogsQuery {
  /**
   * `true` answers server-sent events until the run is final.
   */
  follow?: 'true' | 'false';
  /**
   * `true` begins each line with its time. Events of a followed log have it as `at` in any case.
   */
  timestamps?: 'true' | 'false';
  /**
   * `json` answers a JSON object in each line: `at`, `stream`, `pass`, `site`, `activity` where several nodes write, and `text` (`text_base64` where it is not UTF-8).
   */
  format?: 'text' | 'json';
  /**
   * Only the last lines, so many of them.
   */
  tail?: string;
  /**
   * What was printed from the beginning of this call to that of the next one: its name, or its site (`build#1`). Or the name of a node or a job.
   */
  step?: string;
  /**
   * What this pass of each program printed, from 1, or the last one that printed anything.
   */
  pass?: string;
  /**
   * Only lines with this text. A followed log is answered in chunks, and takes no such filter.
   */
  grep?: string;
}
