// Generated from the JSON Schema of the same name (npm run generate). Do not edit.

/**
 * An event in a list.
 */
export interface Event {
  /**
   * ID of the event, `evt_…`.
   */
  event: string;
  type: string;
  /**
   * Its subject; null for a broadcast.
   */
  key: string | null;
  /**
   * The source of the event.
   */
  source: 'emit' | 'hook' | 'forge' | 'lifecycle' | 'schedule' | 'manual' | 'spawn' | 'account' | 'trigger';
  /**
   * The name of the hook, webhook or schedule, or the ID of the run that emitted the event or that the event describes. Empty if a person emitted it.
   */
  source_name: string;
  /**
   * The number of handler runs in the chain that led to it.
   */
  generation: number;
  trusted: boolean;
  recorded_at: string;
}
