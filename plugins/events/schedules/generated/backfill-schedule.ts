// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * A range of due times in the past, including both ends.
 */
export interface BackfillScheduleBody {
  /**
   * An RFC 3339 time such as `2026-11-01T00:00:00Z`.
   */
  from: string;
  /**
   * An RFC 3339 time that is not in the future. Default: now.
   */
  to?: string;
  /**
   * Default `queue`: one run after another. `allow`: all runs start at once.
   */
  overlap?: 'queue' | 'allow';
}
