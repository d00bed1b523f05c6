// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Query of `GET {scoped}/events`.
 */
export interface ListEventsQuery {
  limit?: number;
  cursor?: string;
  /**
   * Only events of this type.
   */
  type?: string;
  /**
   * Only events with this key.
   */
  key?: string;
  source?: 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn' | 'account' | 'trigger';
  /**
   * The sources to exclude, separated by commas. `lifecycle,manual,spawn` hides the start and end of runs.
   */
  exclude?: string;
  /**
   * A time (2026-01-31T12:00:00Z), or a duration before now (2h).
   */
  since?: string;
}
