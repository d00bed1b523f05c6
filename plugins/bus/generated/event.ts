// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An event as lists show it.
 */
export interface Event {
  /**
   * Its id, `evt_…`.
   */
  event: string;
  type: string;
  /**
   * Its subject; null for a broadcast.
   */
  key: string | null;
  /**
   * Where it comes from.
   */
  source: 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn' | 'account';
  /**
   * Name of the hook, webhook or schedule; id of the run that emitted it or that it speaks of; empty for an emit by a person.
   */
  source_name: string;
  /**
   * How many handler runs lie between it and the outside.
   */
  generation: number;
  trusted: boolean;
  recorded_at: string;
}
