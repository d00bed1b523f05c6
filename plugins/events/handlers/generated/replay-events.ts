// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * Which events are delivered again, and to which handlers. At least one of `type`, `handler` and `failed` is required.
 */
export interface ReplayEventsBody {
  /**
   * Only events of this type; a prefix ends in `*` (`order.*`).
   */
  type?: string;
  /**
   * Only to this handler. By default, to each handler whose patterns match the type.
   */
  handler?: string;
  /**
   * Only dead letters: deliveries that have failed permanently.
   */
  failed?: boolean;
  /**
   * Only events recorded, or deliveries that failed, since a time (2026-01-31T12:00:00Z) or within a duration (2h).
   */
  since?: string;
  /**
   * Only events recorded, or deliveries that failed, before a time, or before a duration ago.
   */
  until?: string;
  /**
   * The maximum number of deliveries. Default 1,000.
   */
  limit?: number;
  /**
   * Whether to ignore the predicates. By default, the current predicates are evaluated.
   */
  force?: boolean;
  /**
   * Whether to only count the deliveries. Nothing is delivered, and predicates are not evaluated.
   */
  dry_run?: boolean;
}
